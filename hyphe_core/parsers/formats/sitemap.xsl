<?xml version="1.0" encoding="UTF-8"?>
<!-- Every address is an outlink, articles with their title as anchor; there is no text. Some sitemaps lack the namespace. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse" xmlns:h="http://www.w3.org/1999/xhtml"
    xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" exclude-result-prefixes="h news">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/">
    <n:parse status="success">
      <xsl:call-template name="facts"/>
      <xsl:for-each select="/*/*">
        <xsl:variable name="title" select="string(news:news/news:title)"/>
        <xsl:for-each select="*[local-name() = 'loc']"><n:outlink url="{normalize-space()}" element="loc"><xsl:value-of select="$title"/></n:outlink></xsl:for-each>
      </xsl:for-each>
      <xsl:for-each select="/*/*/h:link[@rel = 'alternate'][@href]"><n:outlink url="{@href}" element="link" rel="alternate"/></xsl:for-each>
      <xsl:for-each select="/*/*/*[local-name() = 'image']/*[local-name() = 'loc']"><n:outlink url="{normalize-space()}" element="image"/></xsl:for-each>
      <xsl:for-each select="/*/*/*[local-name() = 'video']/*[local-name() = 'content_loc' or local-name() = 'player_loc']"><n:outlink url="{normalize-space()}" element="video"/></xsl:for-each>
      <n:meta name="sitemap.kind"><xsl:value-of select="local-name(/*)"/></n:meta>
      <n:meta name="sitemap.entries"><xsl:value-of select="count(/*/*[*[local-name() = 'loc']])"/></n:meta>
    </n:parse>
  </xsl:template>
</xsl:stylesheet>
