<?xml version="1.0" encoding="UTF-8"?>
<!-- Any well-formed XML: a title near the root, all text, everything that looks like a link. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/">
    <n:parse status="success">
      <xsl:variable name="titles" select="/*/*[local-name() = 'title' or local-name() = 'Title' or local-name() = 'TITLE']"/>
      <n:title>
        <xsl:choose>
          <xsl:when test="$titles"><xsl:value-of select="$titles[1]"/></xsl:when>
          <xsl:otherwise><xsl:value-of select="(/*/*/*[local-name() = 'title' or local-name() = 'Title' or local-name() = 'TITLE'])[1]"/></xsl:otherwise>
        </xsl:choose>
      </n:title>
      <xsl:call-template name="facts"/>
      <xsl:call-template name="text"/>
      <xsl:for-each select="//@*[local-name() = 'href' or local-name() = 'src']">
        <n:outlink url="{.}" element="{local-name(..)}"><xsl:value-of select=".."/></n:outlink>
      </xsl:for-each>
      <xsl:if test="$has-addresses">
        <xsl:for-each select="//text()[contains(., '://')]/parent::*[not(*)]">
          <xsl:if test="local-name() = 'link' or local-name() = 'url' or local-name() = 'loc' or local-name() = 'uri' or (local-name() = 'guid' and not(@isPermaLink = 'false'))">
            <xsl:variable name="address" select="normalize-space()"/>
            <xsl:if test="starts-with($address, 'http://') or starts-with($address, 'https://')">
              <n:outlink url="{$address}" element="{local-name()}"/>
            </xsl:if>
          </xsl:if>
        </xsl:for-each>
      </xsl:if>
    </n:parse>
  </xsl:template>
</xsl:stylesheet>
