<?xml version="1.0" encoding="UTF-8"?>
<!-- Outlines give text, and addresses of feeds (xmlUrl) and pages (htmlUrl, url). -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/opml">
    <n:parse status="success">
      <n:title><xsl:value-of select="head/title"/></n:title>
      <xsl:for-each select="head/ownerName"><n:creator><xsl:value-of select="."/></n:creator></xsl:for-each>
      <xsl:for-each select="head/dateCreated"><n:date><xsl:value-of select="."/></n:date></xsl:for-each>
      <xsl:for-each select="head/dateModified"><n:modified><xsl:value-of select="."/></n:modified></xsl:for-each>
      <xsl:call-template name="facts"/>
      <n:text><xsl:for-each select="body//outline">
        <xsl:choose><xsl:when test="@text"><xsl:value-of select="@text"/></xsl:when><xsl:otherwise><xsl:value-of select="@title"/></xsl:otherwise></xsl:choose>
        <xsl:value-of select="$line"/>
      </xsl:for-each></n:text>
      <xsl:for-each select="body[1]//outline/@*[local-name() = 'xmlUrl' or local-name() = 'htmlUrl' or local-name() = 'url']">
        <n:outlink url="{.}" element="outline">
          <xsl:if test="local-name() = 'xmlUrl'"><xsl:attribute name="element">feed</xsl:attribute></xsl:if>
          <xsl:choose><xsl:when test="../@text"><xsl:value-of select="../@text"/></xsl:when><xsl:otherwise><xsl:value-of select="../@title"/></xsl:otherwise></xsl:choose>
        </n:outlink>
      </xsl:for-each>
      <n:meta name="opml.version"><xsl:value-of select="@version"/></n:meta>
      <n:meta name="opml.outlines"><xsl:value-of select="count(body//outline)"/></n:meta>
    </n:parse>
  </xsl:template>
</xsl:stylesheet>
