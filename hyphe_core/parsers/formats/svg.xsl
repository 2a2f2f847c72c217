<?xml version="1.0" encoding="UTF-8"?>
<!-- Title, description, visible text and links; references to parts of the image itself are none. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse" xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:cc="http://creativecommons.org/ns#" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    exclude-result-prefixes="dc cc rdf">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/">
    <n:parse status="success">
      <xsl:variable name="titles" select="/*/*[local-name() = 'title'][normalize-space()]"/>
      <!-- Agents have titles too. -->
      <n:title><xsl:choose>
        <xsl:when test="$titles"><xsl:value-of select="$titles[1]"/></xsl:when>
        <xsl:otherwise><xsl:value-of select="(//dc:title[not(ancestor::cc:Agent)])[1]"/></xsl:otherwise>
      </xsl:choose></n:title>
      <xsl:for-each select="//dc:creator"><n:creator><xsl:value-of select="."/></n:creator></xsl:for-each>
      <xsl:for-each select="//*[self::dc:description or (local-name() = 'desc' and count(ancestor::*) = 1)]"><n:description><xsl:value-of select="."/></n:description></xsl:for-each>
      <xsl:for-each select="//*[self::rdf:li[ancestor::dc:subject] or self::dc:subject[not(*)]]"><n:subject><xsl:value-of select="."/></n:subject></xsl:for-each>
      <xsl:for-each select="//dc:publisher"><n:publisher><xsl:value-of select="."/></n:publisher></xsl:for-each>
      <xsl:for-each select="//dc:contributor"><n:contributor><xsl:value-of select="."/></n:contributor></xsl:for-each>
      <xsl:for-each select="//dc:date"><n:date><xsl:value-of select="."/></n:date></xsl:for-each>
      <xsl:for-each select="//dc:rights"><n:rights><xsl:value-of select="."/></n:rights></xsl:for-each>
      <xsl:for-each select="//cc:license/@rdf:resource"><n:rights><xsl:value-of select="."/></n:rights></xsl:for-each>
      <xsl:call-template name="facts"><xsl:with-param name="language" select="/*/@xml:lang | /*/@lang | //dc:language"/></xsl:call-template>
      <n:text><xsl:for-each select="//*[local-name() = 'text' or local-name() = 'p' or local-name() = 'div']">
        <xsl:if test="not(ancestor::*[local-name() = 'text' or local-name() = 'p' or local-name() = 'div'])">
          <xsl:for-each select=".//text()"><xsl:copy/><xsl:text> </xsl:text></xsl:for-each><xsl:value-of select="$line"/>
        </xsl:if>
      </xsl:for-each></n:text>
      <xsl:for-each select="//@*[name() = 'href' or (local-name() = 'href' and namespace-uri() = 'http://www.w3.org/1999/xlink' and not(../@href))]">
        <xsl:if test="not(starts-with(., '#') or starts-with(., 'data:'))">
          <n:outlink url="{.}" element="{local-name(..)}"><xsl:for-each select="..//text()"><xsl:copy/><xsl:text> </xsl:text></xsl:for-each></n:outlink>
        </xsl:if>
      </xsl:for-each>
      <xsl:for-each select="/*/@viewBox"><n:meta name="svg.view-box"><xsl:value-of select="."/></n:meta></xsl:for-each>
    </n:parse>
  </xsl:template>
</xsl:stylesheet>
