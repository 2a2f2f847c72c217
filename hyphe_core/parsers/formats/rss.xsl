<?xml version="1.0" encoding="UTF-8"?>
<!-- RSS in all its versions: elements are known by their local names, since 1.0 has namespaces and 2.0 none. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse" xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:dcterms="http://purl.org/dc/terms/" xmlns:content="http://purl.org/rss/1.0/modules/content/"
    xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:atom="http://www.w3.org/2005/Atom"
    exclude-result-prefixes="dc dcterms content rdf atom">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/">
    <xsl:variable name="channel" select="/*/*[local-name() = 'channel'][1]"/>
    <n:parses>
      <n:parse status="success">
        <xsl:for-each select="$channel">
          <xsl:call-template name="title"/>
          <xsl:call-template name="fields"/>
          <xsl:for-each select="(*[local-name() = 'link'][not(self::atom:link)][normalize-space()])[1]">
            <n:meta name="feed.link"><xsl:value-of select="normalize-space()"/></n:meta>
            <n:outlink url="{normalize-space()}" element="link"/>
          </xsl:for-each>
          <n:text><xsl:value-of select="*[local-name() = 'description'][1]"/></n:text>
        </xsl:for-each>
        <n:meta name="feed.text-type">html</n:meta>
        <n:meta name="rss.version"><xsl:value-of select="/*/@version"/></n:meta>
        <xsl:call-template name="facts">
          <xsl:with-param name="language" select="$channel/*[local-name() = 'language'] | /*/@xml:lang"/>
        </xsl:call-template>
      </n:parse>
      <xsl:apply-templates select="/*/*[local-name() = 'item'] | $channel/*[local-name() = 'item']"/>
    </n:parses>
  </xsl:template>

  <xsl:template match="*[local-name() = 'item']">
    <xsl:variable name="guid" select="*[local-name() = 'guid'][not(@isPermaLink = 'false')][1]"/>
    <xsl:variable name="links" select="*[local-name() = 'link'][not(self::atom:link)][normalize-space()]"/>
    <n:parse status="success">
      <xsl:call-template name="title"/>
      <n:link>
        <xsl:choose>
          <xsl:when test="$links"><xsl:value-of select="normalize-space($links[1])"/></xsl:when>
          <xsl:when test="$guid[starts-with(normalize-space(), 'http')]"><xsl:value-of select="normalize-space($guid)"/></xsl:when>
          <xsl:when test="atom:link[not(@rel) or @rel = 'alternate']/@href"><xsl:value-of select="atom:link[not(@rel) or @rel = 'alternate']/@href"/></xsl:when>
          <xsl:otherwise><xsl:value-of select="@rdf:about"/></xsl:otherwise>
        </xsl:choose>
      </n:link>
      <xsl:call-template name="fields"/>
      <xsl:for-each select="dc:language | @xml:lang"><n:language><xsl:value-of select="."/></n:language></xsl:for-each>
      <xsl:variable name="description" select="*[local-name() = 'description'][normalize-space()]"/>
      <n:text>
        <xsl:choose>
          <xsl:when test="$description"><xsl:value-of select="$description[1]"/></xsl:when>
          <xsl:otherwise><xsl:for-each select="content:encoded"><xsl:value-of select="."/></xsl:for-each></xsl:otherwise>
        </xsl:choose>
      </n:text>
      <n:meta name="feed.text-type">html</n:meta>
      <xsl:for-each select="*[local-name() = 'guid'][normalize-space()]"><n:meta name="rss.guid"><xsl:value-of select="."/></n:meta></xsl:for-each>
      <xsl:for-each select="*[local-name() = 'comments'][starts-with(normalize-space(), 'http')]">
        <n:meta name="rss.comments"><xsl:value-of select="."/></n:meta>
      </xsl:for-each>
      <xsl:for-each select="*[local-name() = 'enclosure']/@url"><n:outlink url="{.}" element="enclosure"/></xsl:for-each>
    </n:parse>
  </xsl:template>

  <xsl:template name="title">
    <n:title><xsl:value-of select="(*[local-name() = 'title'])[1]"/></n:title>
  </xsl:template>

  <xsl:template name="fields">
    <xsl:for-each select="*[local-name() = 'author'] | dc:creator"><n:creator><xsl:value-of select="."/></n:creator></xsl:for-each>
    <xsl:for-each select="*[local-name() = 'category'] | dc:subject"><n:subject><xsl:value-of select="."/></n:subject></xsl:for-each>
    <xsl:for-each select="dc:publisher"><n:publisher><xsl:value-of select="."/></n:publisher></xsl:for-each>
    <xsl:for-each select="dc:contributor"><n:contributor><xsl:value-of select="."/></n:contributor></xsl:for-each>
    <xsl:for-each select="*[local-name() = 'pubDate'] | dc:date"><n:date><xsl:value-of select="."/></n:date></xsl:for-each>
    <xsl:for-each select="*[local-name() = 'lastBuildDate'] | dcterms:modified"><n:modified><xsl:value-of select="."/></n:modified></xsl:for-each>
    <xsl:for-each select="dc:source | *[local-name() = 'source']"><n:source><xsl:value-of select="."/></n:source></xsl:for-each>
    <xsl:for-each select="*[local-name() = 'copyright'] | dc:rights"><n:rights><xsl:value-of select="."/></n:rights></xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
