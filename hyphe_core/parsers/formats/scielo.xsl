<?xml version="1.0" encoding="UTF-8"?>
<!-- As JATS, and what SciELO says besides: its own identifiers, text and links of the older export. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse" xmlns:xlink="http://www.w3.org/1999/xlink" exclude-result-prefixes="xlink">
  <xsl:import href="jats.xsl"/>

  <xsl:template name="identifiers">
    <xsl:param name="meta"/>
    <xsl:param name="journal"/>
    <xsl:for-each select="$meta/article-id">
      <n:meta name="jats.{@pub-id-type}">
        <xsl:if test="not(@pub-id-type)"><xsl:attribute name="name">scielo.id</xsl:attribute></xsl:if>
        <xsl:value-of select="."/>
      </n:meta>
    </xsl:for-each>
    <xsl:for-each select="$journal/journal-id"><n:meta name="scielo.journal"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$journal/issn"><n:meta name="jats.issn"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/volume"><n:meta name="jats.volume"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/issue | $meta/numero"><n:meta name="jats.issue"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/fpage"><n:meta name="jats.fpage"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/lpage"><n:meta name="jats.lpage"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <n:meta name="jats.refs"><xsl:value-of select="count(.//ref-list//ref)"/></n:meta>
    <n:meta name="jats.figures"><xsl:value-of select="count(.//fig)"/></n:meta>
  </xsl:template>
</xsl:stylesheet>
