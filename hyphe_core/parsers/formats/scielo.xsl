<?xml version="1.0" encoding="UTF-8"?>
<!-- As JATS, and what SciELO says besides: all identifiers of the article, and those of the journal. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse">
  <xsl:import href="jats.xsl"/>

  <xsl:template name="article-ids">
    <xsl:param name="meta"/>
    <xsl:for-each select="$meta/article-id">
      <n:meta name="jats.{@pub-id-type}">
        <xsl:if test="not(@pub-id-type)"><xsl:attribute name="name">scielo.id</xsl:attribute></xsl:if>
        <xsl:value-of select="."/>
      </n:meta>
    </xsl:for-each>
    <xsl:for-each select="front/journal-meta/journal-id"><n:meta name="scielo.journal"><xsl:value-of select="."/></n:meta></xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
