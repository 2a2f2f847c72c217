<?xml version="1.0" encoding="UTF-8"?>
<!-- Each article under the address that it gives itself, its DOI, or its place in the set. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse" xmlns:xlink="http://www.w3.org/1999/xlink" exclude-result-prefixes="xlink">
  <xsl:import href="jats.xsl"/>

  <xsl:template match="/">
    <n:parses>
      <n:parse status="success">
        <xsl:call-template name="facts"/>
        <n:meta name="jats.articles"><xsl:value-of select="count(/*/article)"/></n:meta>
      </n:parse>
      <xsl:for-each select="/*/article">
        <xsl:variable name="doi" select="front/article-meta/article-id[@pub-id-type = 'doi']"/>
        <xsl:variable name="own" select="front/article-meta/self-uri/@xlink:href[starts-with(., 'http')]"/>
        <xsl:choose>
          <xsl:when test="$own"><xsl:apply-templates select="." mode="article"><xsl:with-param name="link" select="$own[1]"/></xsl:apply-templates></xsl:when>
          <xsl:when test="$doi"><xsl:apply-templates select="." mode="article"><xsl:with-param name="link" select="concat('https://doi.org/', normalize-space($doi))"/></xsl:apply-templates></xsl:when>
          <xsl:otherwise><xsl:apply-templates select="." mode="article"><xsl:with-param name="link" select="concat($url, '#article-', position())"/></xsl:apply-templates></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
    </n:parses>
  </xsl:template>
</xsl:stylesheet>
