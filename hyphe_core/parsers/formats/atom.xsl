<?xml version="1.0" encoding="UTF-8"?>
<!-- Atom 1.0, and 0.3 whose elements have other names for the dates. A lone entry is a feed of itself. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse" xmlns:h="http://www.w3.org/1999/xhtml"
    xmlns:media="http://search.yahoo.com/mrss/" exclude-result-prefixes="h media">
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
        </xsl:for-each>
        <xsl:call-template name="facts"/>
      </n:parse>
      <xsl:apply-templates select="/*[local-name() = 'entry']"/>
      <xsl:apply-templates select="/*/*[local-name() = 'entry']"/>
    </n:parses>
  </xsl:template>

  <xsl:template match="*[local-name() = 'entry']">
    <n:parse status="success">
      <n:link><xsl:value-of select="*[local-name() = 'link'][not(@rel) or @rel = 'alternate'][1]/@href"/></n:link>
      <xsl:call-template name="fields"/>
      <xsl:for-each select="(ancestor-or-self::*/@xml:lang)[last()]"><n:language><xsl:value-of select="."/></n:language></xsl:for-each>
      <!-- Other types are written in base 64. -->
      <xsl:variable name="contents" select="*[local-name() = 'content'][not(@src or @mode = 'base64')][not(contains(@type, '/')) or starts-with(@type, 'text/') or contains(concat(@type, ' '), '+xml ') or contains(concat(@type, ' '), '/xml ')]"/>
      <n:meta name="feed.contents"><xsl:apply-templates select="$contents" mode="read"/></n:meta>
      <n:meta name="feed.contents-type"><xsl:value-of select="$contents[1]/@type"/></n:meta>
      <n:meta name="atom.id"><xsl:value-of select="*[local-name() = 'id']"/></n:meta>
      <xsl:for-each select=".//h:a/@href"><n:outlink url="{.}" element="a"><xsl:value-of select=".."/></n:outlink></xsl:for-each>
      <xsl:for-each select="*[local-name() = 'link'][@rel = 'enclosure']/@href"><n:outlink url="{.}" element="enclosure"/></xsl:for-each>
      <xsl:for-each select=".//media:content/@url"><n:outlink url="{.}" element="enclosure"/></xsl:for-each>
      <xsl:for-each select="*[local-name() = 'content']/@src">
        <n:outlink url="{.}" element="enclosure"><xsl:if test="contains(../@type, 'html')"><xsl:attribute name="element">content</xsl:attribute></xsl:if></n:outlink>
      </xsl:for-each>
      <xsl:for-each select="*[local-name() = 'link'][@href][not(contains(' self hub enclosure edit edit-media service.edit service.post ', concat(' ', @rel, ' ')))]">
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
    <xsl:variable name="summaries" select="*[local-name() = 'summary' or local-name() = 'subtitle' or local-name() = 'tagline'][normalize-space()]"/>
    <xsl:variable name="others" select="(media:description[1] | media:group[1]/media:description[1])[not($summaries)]"/>
    <xsl:variable name="described" select="$summaries[1] | $others[1]"/>
    <n:text><xsl:apply-templates select="$described" mode="read"/></n:text>
    <n:meta name="feed.text-type"><xsl:value-of select="$described/@type"/></n:meta>
    <n:title><xsl:value-of select="(*[local-name() = 'title'])[1]"/></n:title>
    <xsl:for-each select="*[local-name() = 'author']/*[local-name() = 'name']"><n:creator><xsl:value-of select="."/></n:creator></xsl:for-each>
    <xsl:for-each select="*[local-name() = 'category']"><n:subject><xsl:value-of select="@term"/></n:subject></xsl:for-each>
    <xsl:for-each select="*[local-name() = 'contributor']/*[local-name() = 'name']"><n:contributor><xsl:value-of select="."/></n:contributor></xsl:for-each>
    <xsl:for-each select="*[local-name() = 'published' or local-name() = 'issued']"><n:date><xsl:value-of select="."/></n:date></xsl:for-each>
    <xsl:for-each select="*[local-name() = 'updated' or local-name() = 'modified']"><n:modified><xsl:value-of select="."/></n:modified></xsl:for-each>
    <xsl:for-each select="*[local-name() = 'rights' or local-name() = 'copyright']"><n:rights><xsl:value-of select="."/></n:rights></xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
