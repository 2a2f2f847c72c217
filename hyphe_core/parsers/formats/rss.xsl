<?xml version="1.0" encoding="UTF-8"?>
<!-- RSS in all its versions. Its own elements are those in the namespace of the element that they stand in, which
     1.0 has and 2.0 has not: modules call theirs alike, and count where RSS itself says nothing. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse" xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:dcterms="http://purl.org/dc/terms/" xmlns:content="http://purl.org/rss/1.0/modules/content/"
    xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:atom="http://www.w3.org/2005/Atom"
    xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:media="http://search.yahoo.com/mrss/"
    exclude-result-prefixes="dc dcterms content rdf atom itunes media">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/">
    <xsl:variable name="channel" select="/*/*[local-name() = 'channel'][1]"/>
    <n:parses>
      <n:parse status="success">
        <xsl:for-each select="$channel">
          <xsl:call-template name="fields"/>
          <xsl:for-each select="(*[local-name() = 'link'][namespace-uri() = namespace-uri(..)][normalize-space()])[1]">
            <n:meta name="feed.link"><xsl:value-of select="normalize-space()"/></n:meta>
            <n:outlink url="{normalize-space()}" element="link"/>
          </xsl:for-each>
        </xsl:for-each>
        <n:meta name="rss.version"><xsl:value-of select="/*/@version"/></n:meta>
        <xsl:call-template name="facts">
          <xsl:with-param name="language" select="$channel/*[local-name() = 'language'] | /*/@xml:lang"/>
        </xsl:call-template>
      </n:parse>
      <xsl:apply-templates select="/*/*[local-name() = 'item']"/>
      <xsl:apply-templates select="$channel/*[local-name() = 'item']"/>
    </n:parses>
  </xsl:template>

  <xsl:template match="*[local-name() = 'item']">
    <xsl:variable name="guid" select="*[local-name() = 'guid'][not(@isPermaLink = 'false')][1]"/>
    <xsl:variable name="links" select="*[local-name() = 'link'][namespace-uri() = namespace-uri(..)][normalize-space()]"/>
    <n:parse status="success">
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
      <xsl:for-each select="*[local-name() = 'guid'][normalize-space()]"><n:meta name="rss.guid"><xsl:value-of select="."/></n:meta></xsl:for-each>
      <xsl:for-each select="*[local-name() = 'comments'][starts-with(normalize-space(), 'http')]">
        <n:meta name="rss.comments"><xsl:value-of select="."/></n:meta>
      </xsl:for-each>
      <xsl:for-each select="dc:identifier"><n:meta name="dc.identifier"><xsl:value-of select="."/></n:meta></xsl:for-each>
      <xsl:for-each select=".//*[local-name() = 'enclosure' or self::media:content]/@url"><n:outlink url="{.}" element="enclosure"/></xsl:for-each>
      <xsl:for-each select="*[local-name() = 'source']/@url"><n:outlink url="{.}" element="source"><xsl:value-of select=".."/></n:outlink></xsl:for-each>
    </n:parse>
  </xsl:template>

  <xsl:template name="fields">
    <xsl:variable name="own" select="*[namespace-uri() = namespace-uri(..)]"/>
    <xsl:variable name="titles" select="$own[local-name() = 'title'][normalize-space()]"/>
    <xsl:variable name="authors" select="*[(local-name() = 'author' and namespace-uri() = namespace-uri(..)) or self::dc:creator or self::atom:author]"/>
    <xsl:variable name="descriptions" select="$own[local-name() = 'description'][normalize-space()]"/>
    <xsl:variable name="others" select="(*[self::dc:description or self::itunes:summary or self::media:description] | media:group[1]/media:description[1])[normalize-space()]"/>
    <n:title><xsl:choose>
      <xsl:when test="$titles"><xsl:value-of select="$titles[1]"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="*[local-name() = 'title'][1]"/></xsl:otherwise>
    </xsl:choose></n:title>
    <xsl:for-each select="$authors"><n:creator><xsl:choose>
      <xsl:when test="self::atom:author"><xsl:value-of select="atom:name"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="."/></xsl:otherwise>
    </xsl:choose></n:creator></xsl:for-each>
    <xsl:if test="not($authors)"><xsl:for-each select="*[self::itunes:author or local-name() = 'managingEditor']"><n:creator><xsl:value-of select="."/></n:creator></xsl:for-each></xsl:if>
    <xsl:for-each select="*[(local-name() = 'category' and namespace-uri() = namespace-uri(..)) or self::dc:subject]"><n:subject><xsl:value-of select="."/></n:subject></xsl:for-each>
    <xsl:for-each select=".//itunes:category[not(ancestor::*[local-name() = 'item'])]/@text"><n:subject><xsl:value-of select="."/></n:subject></xsl:for-each>
    <xsl:for-each select="dc:publisher"><n:publisher><xsl:value-of select="."/></n:publisher></xsl:for-each>
    <xsl:for-each select="dc:contributor"><n:contributor><xsl:value-of select="."/></n:contributor></xsl:for-each>
    <xsl:for-each select="*[(local-name() = 'pubDate' and namespace-uri() = namespace-uri(..)) or self::dc:date or self::dcterms:issued or self::dcterms:created or self::atom:published]"><n:date><xsl:value-of select="."/></n:date></xsl:for-each>
    <xsl:for-each select="*[(local-name() = 'lastBuildDate' and namespace-uri() = namespace-uri(..)) or self::dcterms:modified or self::atom:updated]"><n:modified><xsl:value-of select="."/></n:modified></xsl:for-each>
    <xsl:for-each select="dc:type"><n:type><xsl:value-of select="."/></n:type></xsl:for-each>
    <xsl:for-each select="*[(local-name() = 'source' and namespace-uri() = namespace-uri(..)) or self::dc:source]"><n:source><xsl:value-of select="."/></n:source></xsl:for-each>
    <xsl:for-each select="dc:relation"><n:relation><xsl:value-of select="."/></n:relation></xsl:for-each>
    <xsl:for-each select="dc:coverage"><n:coverage><xsl:value-of select="."/></n:coverage></xsl:for-each>
    <xsl:for-each select="*[(local-name() = 'copyright' and namespace-uri() = namespace-uri(..)) or self::dc:rights or (local-name() = 'license' and not(*))]"><n:rights><xsl:value-of select="."/></n:rights></xsl:for-each>
    <n:text><xsl:choose>
      <xsl:when test="$descriptions"><xsl:value-of select="$descriptions[1]"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="$others[1]"/></xsl:otherwise>
    </xsl:choose></n:text>
    <n:meta name="feed.text-type">html</n:meta>
    <n:meta name="feed.contents"><xsl:for-each select="content:encoded"><xsl:value-of select="."/></xsl:for-each></n:meta>
    <n:meta name="feed.contents-type">html</n:meta>
  </xsl:template>
</xsl:stylesheet>
