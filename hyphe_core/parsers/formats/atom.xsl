<?xml version="1.0" encoding="UTF-8"?>
<!-- Atom 1.0, and 0.3 whose elements have other names for the dates. A lone entry is a feed of itself. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse" xmlns:h="http://www.w3.org/1999/xhtml" exclude-result-prefixes="h">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/">
    <n:parses>
      <n:parse status="success">
        <xsl:for-each select="/*">
          <xsl:call-template name="fields"/>
          <xsl:for-each select="*[local-name() = 'link'][not(@rel) or @rel = 'alternate'][1]">
            <n:meta name="feed.link"><xsl:value-of select="@href"/></n:meta>
          </xsl:for-each>
          <xsl:for-each select="*[local-name() = 'link'][not(@rel = 'enclosure' or @rel = 'self' or @rel = 'hub')][@href]">
            <n:outlink url="{@href}" element="link" rel="{@rel}"><xsl:value-of select="@title"/></n:outlink>
          </xsl:for-each>
          <n:text><xsl:value-of select="(*[local-name() = 'subtitle' or local-name() = 'tagline' or local-name() = 'summary'])[1]"/></n:text>
          <n:meta name="feed.text-type"><xsl:value-of select="(*[local-name() = 'subtitle' or local-name() = 'tagline' or local-name() = 'summary'])[1]/@type"/></n:meta>
        </xsl:for-each>
        <xsl:call-template name="facts"/>
      </n:parse>
      <xsl:apply-templates select="/*/*[local-name() = 'entry'] | /*[local-name() = 'entry']"/>
    </n:parses>
  </xsl:template>

  <xsl:template match="*[local-name() = 'entry']">
    <n:parse status="success">
      <n:link><xsl:value-of select="*[local-name() = 'link'][not(@rel) or @rel = 'alternate'][1]/@href"/></n:link>
      <xsl:call-template name="fields"/>
      <xsl:for-each select="(ancestor-or-self::*/@xml:lang)[last()]"><n:language><xsl:value-of select="."/></n:language></xsl:for-each>
      <xsl:variable name="summary" select="*[local-name() = 'summary'][normalize-space()][1]"/>
      <xsl:variable name="contents" select="*[local-name() = 'content']"/>
      <n:text>
        <xsl:choose>
          <xsl:when test="$summary"><xsl:apply-templates select="$summary" mode="read"/></xsl:when>
          <xsl:otherwise><xsl:apply-templates select="$contents[not(@src)]" mode="read"/></xsl:otherwise>
        </xsl:choose>
      </n:text>
      <n:meta name="feed.text-type">
        <xsl:choose>
          <xsl:when test="$summary"><xsl:value-of select="$summary/@type"/></xsl:when>
          <xsl:otherwise><xsl:value-of select="$contents[1]/@type"/></xsl:otherwise>
        </xsl:choose>
      </n:meta>
      <n:meta name="atom.id"><xsl:value-of select="*[local-name() = 'id']"/></n:meta>
      <xsl:for-each select=".//h:a/@href"><n:outlink url="{.}" element="a"><xsl:value-of select=".."/></n:outlink></xsl:for-each>
      <xsl:for-each select="*[local-name() = 'link'][@rel = 'enclosure']/@href"><n:outlink url="{.}" element="enclosure"/></xsl:for-each>
      <xsl:for-each select="*[local-name() = 'link'][@rel = 'related' or @rel = 'via']">
        <n:outlink url="{@href}" element="link" rel="{@rel}"><xsl:value-of select="@title"/></n:outlink>
      </xsl:for-each>
    </n:parse>
  </xsl:template>

  <!-- Words of XHTML stay apart where its blocks do. -->
  <xsl:template match="h:p | h:div | h:br | h:hr | h:li | h:dt | h:dd | h:h1 | h:h2 | h:h3 | h:h4 | h:h5 | h:h6 | h:pre | h:blockquote | h:td | h:th | h:section | h:figcaption" mode="read">
    <xsl:text> </xsl:text>
    <xsl:apply-templates mode="read"/>
    <xsl:text> </xsl:text>
  </xsl:template>
  <xsl:template match="h:script | h:style" mode="read"/>

  <xsl:template name="fields">
    <n:title><xsl:value-of select="(*[local-name() = 'title'])[1]"/></n:title>
    <xsl:for-each select="*[local-name() = 'author']/*[local-name() = 'name']"><n:creator><xsl:value-of select="."/></n:creator></xsl:for-each>
    <xsl:for-each select="*[local-name() = 'category']"><n:subject><xsl:value-of select="@term"/></n:subject></xsl:for-each>
    <xsl:for-each select="*[local-name() = 'summary' or local-name() = 'subtitle' or local-name() = 'tagline'][not(@type) or @type = 'text']"><n:description><xsl:value-of select="."/></n:description></xsl:for-each>
    <xsl:for-each select="*[local-name() = 'contributor']/*[local-name() = 'name']"><n:contributor><xsl:value-of select="."/></n:contributor></xsl:for-each>
    <xsl:for-each select="*[local-name() = 'published' or local-name() = 'issued']"><n:date><xsl:value-of select="."/></n:date></xsl:for-each>
    <xsl:for-each select="*[local-name() = 'updated' or local-name() = 'modified']"><n:modified><xsl:value-of select="."/></n:modified></xsl:for-each>
    <xsl:for-each select="*[local-name() = 'rights' or local-name() = 'copyright']"><n:rights><xsl:value-of select="."/></n:rights></xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
