<?xml version="1.0" encoding="UTF-8"?>
<!-- Journal articles: facts from the front matter, text from abstract, body and back without the references. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse" xmlns:xlink="http://www.w3.org/1999/xlink" exclude-result-prefixes="xlink">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/">
    <xsl:apply-templates select="/*" mode="article"/>
  </xsl:template>

  <xsl:template match="*" mode="article">
    <xsl:param name="link" select="$url"/>
    <xsl:variable name="meta" select="front/article-meta | front-stub"/>
    <xsl:variable name="journal" select="front/journal-meta"/>
    <n:parse status="success">
      <n:title><xsl:value-of select="($meta/title-group/article-title | $meta/article-title)[1]"/></n:title>
      <xsl:for-each select="$meta//contrib[@contrib-type = 'author' or not(@contrib-type)][not(ancestor::sub-article)]">
        <n:creator><xsl:call-template name="person"/></n:creator>
      </xsl:for-each>
      <xsl:for-each select="$meta//kwd | $meta/article-categories//subject">
        <n:subject><xsl:value-of select="."/></n:subject>
      </xsl:for-each>
      <xsl:for-each select="$meta/abstract | $meta/trans-abstract">
        <n:description><xsl:for-each select=".//text()"><xsl:copy/><xsl:text> </xsl:text></xsl:for-each></n:description>
      </xsl:for-each>
      <xsl:for-each select="$journal/publisher/publisher-name"><n:publisher><xsl:value-of select="."/></n:publisher></xsl:for-each>
      <xsl:for-each select="$meta//contrib[@contrib-type][not(@contrib-type = 'author')]">
        <n:contributor><xsl:call-template name="person"/></n:contributor>
      </xsl:for-each>
      <xsl:for-each select="($meta/pub-date[contains(concat(@pub-type, @date-type, @publication-format), 'epub') or @publication-format = 'electronic'] | $meta/pub-date[not($meta/pub-date[contains(concat(@pub-type, @date-type, @publication-format), 'epub') or @publication-format = 'electronic'])])[1]">
        <n:date><xsl:call-template name="date"/></n:date>
      </xsl:for-each>
      <xsl:for-each select="@article-type"><n:type><xsl:value-of select="."/></n:type></xsl:for-each>
      <xsl:for-each select="($journal//journal-title)[1]"><n:source><xsl:value-of select="."/></n:source></xsl:for-each>
      <xsl:for-each select="$meta/related-article">
        <n:relation><xsl:value-of select="@xlink:href"/><xsl:if test="not(@xlink:href)"><xsl:value-of select="."/></xsl:if></n:relation>
      </xsl:for-each>
      <xsl:for-each select="$meta/permissions/copyright-statement | $meta/copyright-statement"><n:rights><xsl:value-of select="."/></n:rights></xsl:for-each>
      <xsl:for-each select="$meta/permissions/license | $meta/license">
        <n:rights><xsl:choose><xsl:when test="normalize-space()"><xsl:value-of select="."/></xsl:when><xsl:otherwise><xsl:value-of select="@xlink:href"/></xsl:otherwise></xsl:choose></n:rights>
      </xsl:for-each>
      <xsl:call-template name="facts">
        <xsl:with-param name="link" select="$link"/>
        <xsl:with-param name="language" select="@xml:lang"/>
      </xsl:call-template>
      <n:text>
        <xsl:apply-templates select="$meta/abstract | $meta/trans-abstract | body | back" mode="lines"/>
        <xsl:apply-templates select="sub-article/body | response/body" mode="lines"/>
      </n:text>
      <xsl:apply-templates select="." mode="links"/>
      <xsl:call-template name="identifiers">
        <xsl:with-param name="meta" select="$meta"/>
        <xsl:with-param name="journal" select="$journal"/>
      </xsl:call-template>
    </n:parse>
  </xsl:template>

  <xsl:template name="person">
    <xsl:choose>
      <xsl:when test="name | name-alternatives/name">
        <xsl:for-each select="(name | name-alternatives/name)[1]">
          <xsl:value-of select="given-names"/><xsl:text> </xsl:text><xsl:value-of select="surname"/>
        </xsl:for-each>
      </xsl:when>
      <xsl:when test="collab"><xsl:value-of select="collab"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="string-name | on-behalf-of"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- As ISO 8601, as exact as it is given. -->
  <xsl:template name="date">
    <xsl:choose>
      <xsl:when test="@iso-8601-date"><xsl:value-of select="@iso-8601-date"/></xsl:when>
      <xsl:otherwise>
        <xsl:value-of select="normalize-space(year)"/>
        <xsl:if test="number(month) &gt; 0">
          <xsl:value-of select="concat('-', format-number(month, '00'))"/>
          <xsl:if test="number(day) &gt; 0"><xsl:value-of select="concat('-', format-number(day, '00'))"/></xsl:if>
        </xsl:if>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="identifiers">
    <xsl:param name="meta"/>
    <xsl:param name="journal"/>
    <xsl:for-each select="$meta/article-id[@pub-id-type = 'doi' or @pub-id-type = 'pmid' or @pub-id-type = 'pmc' or @pub-id-type = 'pmcid']">
      <n:meta name="jats.{@pub-id-type}"><xsl:value-of select="."/></n:meta>
    </xsl:for-each>
    <xsl:for-each select="$journal/issn"><n:meta name="jats.issn"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/volume"><n:meta name="jats.volume"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/issue | $meta/numero"><n:meta name="jats.issue"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/fpage"><n:meta name="jats.fpage"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/lpage"><n:meta name="jats.lpage"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <n:meta name="jats.refs"><xsl:value-of select="count(.//ref-list//ref)"/></n:meta>
    <n:meta name="jats.figures"><xsl:value-of select="count(.//fig)"/></n:meta>
  </xsl:template>

  <!-- Text: these end a line; references and formulas in TeX are left out. -->
  <xsl:template match="p | title | list-item | label | caption | tr | disp-quote | disp-formula | abstract | kwd-group | fn | def-item" mode="lines">
    <xsl:value-of select="$line"/><xsl:apply-templates mode="lines"/><xsl:value-of select="$line"/>
  </xsl:template>
  <xsl:template match="td | th" mode="lines"><xsl:apply-templates mode="lines"/><xsl:text> </xsl:text></xsl:template>
  <xsl:template match="ref-list | tex-math | object-id" mode="lines"/>

  <!-- Outlinks. -->
  <xsl:template match="*" mode="links">
    <xsl:for-each select=".//ext-link/@xlink:href | .//self-uri/@xlink:href | .//inline-supplementary-material/@xlink:href | .//supplementary-material/@xlink:href | .//uri/@xlink:href | .//license/@xlink:href">
      <n:outlink url="{.}" element="{local-name(..)}"><xsl:if test="not(parent::license)"><xsl:value-of select=".."/></xsl:if></n:outlink>
    </xsl:for-each>
    <xsl:for-each select=".//uri[not(@xlink:href)] | .//self-uri[not(@xlink:href)]"><n:outlink url="{normalize-space()}" element="{local-name()}"/></xsl:for-each>
    <xsl:for-each select=".//ref-list//pub-id[@pub-id-type = 'doi']">
      <n:outlink url="https://doi.org/{normalize-space()}" element="pub-id"/>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
