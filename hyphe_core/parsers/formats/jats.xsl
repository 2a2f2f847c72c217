<?xml version="1.0" encoding="UTF-8"?>
<!-- Journal articles: facts from the front matter, text from abstract, body and back without the references. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:ali="http://www.niso.org/schemas/ali/1.0/"
    exclude-result-prefixes="xlink ali">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/">
    <xsl:apply-templates select="/*" mode="article"/>
  </xsl:template>

  <xsl:template match="*" mode="article">
    <xsl:param name="link" select="$url"/>
    <xsl:variable name="meta" select="front/article-meta | front-stub"/>
    <xsl:variable name="journal" select="front/journal-meta"/>
    <xsl:variable name="dates" select="$meta/pub-date"/>
    <xsl:variable name="electronic" select="$dates[contains(concat(@pub-type, @date-type, @publication-format), 'epub') or @publication-format = 'electronic']"/>
    <!-- Not that of the collection, which is less exact. -->
    <xsl:variable name="best" select="$electronic[not(contains(concat(@pub-type, @date-type), 'collection'))]"/>
    <n:parse status="success">
      <n:title><xsl:apply-templates select="($meta/title-group/article-title | $meta/article-title)[1]" mode="plain"/></n:title>
      <xsl:for-each select="$meta//contrib[@contrib-type = 'author' or not(@contrib-type)][not(ancestor::sub-article)]">
        <n:creator><xsl:call-template name="person"/></n:creator>
      </xsl:for-each>
      <xsl:for-each select="$meta//kwd | $meta//compound-kwd | $meta/article-categories//subject">
        <n:subject><xsl:for-each select=".//text()"><xsl:copy/><xsl:if test="ancestor::compound-kwd"><xsl:text> </xsl:text></xsl:if></xsl:for-each></n:subject>
      </xsl:for-each>
      <xsl:for-each select="$meta/abstract | $meta/trans-abstract">
        <n:description><xsl:apply-templates mode="lines"/></n:description>
      </xsl:for-each>
      <xsl:for-each select="$journal/publisher/publisher-name"><n:publisher><xsl:value-of select="."/></n:publisher></xsl:for-each>
      <xsl:for-each select="$meta//contrib[@contrib-type][not(@contrib-type = 'author')]">
        <n:contributor><xsl:call-template name="person"/></n:contributor>
      </xsl:for-each>
      <xsl:for-each select="($best | $electronic[not($best)] | $dates[not($electronic)])[1]">
        <n:date><xsl:call-template name="date"/></n:date>
      </xsl:for-each>
      <xsl:for-each select="@article-type"><n:type><xsl:value-of select="."/></n:type></xsl:for-each>
      <xsl:for-each select="($journal//journal-title)[1]"><n:source><xsl:value-of select="."/></n:source></xsl:for-each>
      <xsl:for-each select="$meta/related-article">
        <n:relation><xsl:value-of select="@xlink:href"/><xsl:if test="not(@xlink:href)"><xsl:value-of select="."/></xsl:if></n:relation>
      </xsl:for-each>
      <xsl:for-each select="$meta/permissions/copyright-statement | $meta/copyright-statement"><n:rights><xsl:value-of select="."/></n:rights></xsl:for-each>
      <xsl:for-each select="$meta/permissions/license | $meta/license">
        <n:rights><xsl:choose><xsl:when test="normalize-space()"><xsl:apply-templates mode="lines"/></xsl:when><xsl:otherwise><xsl:value-of select="@xlink:href"/></xsl:otherwise></xsl:choose></n:rights>
      </xsl:for-each>
      <xsl:call-template name="facts">
        <xsl:with-param name="link" select="$link"/>
        <xsl:with-param name="language" select="@xml:lang"/>
      </xsl:call-template>
      <n:text>
        <xsl:apply-templates select="$meta/abstract | $meta/trans-abstract | body | back | floats-group" mode="lines"/>
        <xsl:apply-templates select="sub-article/body | response/body" mode="lines"/>
      </n:text>
      <xsl:apply-templates select="." mode="links"/>
      <xsl:call-template name="identifiers">
        <xsl:with-param name="meta" select="$meta"/>
        <xsl:with-param name="journal" select="$journal"/>
      </xsl:call-template>
      <xsl:call-template name="more"/>
    </n:parse>
  </xsl:template>

  <!-- What the collection says of an article that stands in it. -->
  <xsl:template name="more"/>

  <xsl:template name="person">
    <xsl:variable name="named" select="name | name-alternatives/name"/>
    <xsl:variable name="strings" select="string-name | name-alternatives/string-name"/>
    <xsl:choose>
      <xsl:when test="$named"><xsl:apply-templates select="$named[1]" mode="person"/></xsl:when>
      <xsl:when test="$strings"><xsl:apply-templates select="$strings[1]" mode="person"/></xsl:when>
      <xsl:otherwise><xsl:apply-templates select="(collab | collab-alternatives/collab | on-behalf-of)[1]" mode="plain"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template match="*" mode="person">
    <xsl:choose>
      <xsl:when test="surname or given-names"><xsl:value-of select="given-names"/><xsl:text> </xsl:text><xsl:value-of select="surname"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="."/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- Names and titles: without marks of notes, and the members of a group. -->
  <xsl:template match="xref | fn | contrib-group | aff | comment() | processing-instruction()" mode="plain"/>
  <xsl:template match="break" mode="plain"><xsl:text> </xsl:text></xsl:template>

  <!-- As ISO 8601, as exact as it is given. -->
  <xsl:template name="date">
    <xsl:choose>
      <xsl:when test="@iso-8601-date"><xsl:value-of select="@iso-8601-date"/></xsl:when>
      <xsl:otherwise>
        <xsl:value-of select="normalize-space(year)"/>
        <xsl:variable name="name" select="substring(normalize-space(month), 1, 3)"/>
        <xsl:variable name="month"><xsl:choose>
          <xsl:when test="string-length($name) = 3"><xsl:value-of select="string-length(substring-before(' JanFebMarAprMayJunJulAugSepOctNovDec', $name)) div 3 + 2 div 3"/></xsl:when>
          <xsl:otherwise><xsl:value-of select="number(month)"/></xsl:otherwise>
        </xsl:choose></xsl:variable>
        <xsl:if test="$month &gt;= 1">
          <xsl:value-of select="concat('-', format-number($month, '00'))"/>
          <xsl:if test="number(day) &gt; 0"><xsl:value-of select="concat('-', format-number(day, '00'))"/></xsl:if>
        </xsl:if>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="identifiers">
    <xsl:param name="meta"/>
    <xsl:param name="journal"/>
    <xsl:call-template name="article-ids"><xsl:with-param name="meta" select="$meta"/></xsl:call-template>
    <xsl:for-each select="$journal/issn"><n:meta name="jats.issn"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/volume"><n:meta name="jats.volume"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/issue | $meta/numero"><n:meta name="jats.issue"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/fpage"><n:meta name="jats.fpage"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/lpage"><n:meta name="jats.lpage"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/elocation-id"><n:meta name="jats.elocation-id"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/title-group/subtitle"><n:meta name="jats.subtitle"><xsl:apply-templates select="." mode="plain"/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/title-group/trans-title-group/trans-title | $meta/title-group/trans-title"><n:meta name="jats.trans-title"><xsl:apply-templates select="." mode="plain"/></n:meta></xsl:for-each>
    <n:meta name="jats.refs"><xsl:value-of select="count(.//ref-list//ref)"/></n:meta>
    <n:meta name="jats.figures"><xsl:value-of select="count(.//fig)"/></n:meta>
  </xsl:template>

  <xsl:template name="article-ids">
    <xsl:param name="meta"/>
    <xsl:for-each select="$meta/article-id[@pub-id-type = 'doi' or @pub-id-type = 'pmid' or @pub-id-type = 'pmc' or @pub-id-type = 'pmcid']">
      <n:meta name="jats.{@pub-id-type}"><xsl:value-of select="."/></n:meta>
    </xsl:for-each>
  </xsl:template>

  <!-- Text: these end a line; references and formulas in TeX are left out. -->
  <xsl:template match="p | title | list-item | label | caption | tr | disp-quote | disp-formula | abstract | kwd-group | fn | def-item | term | verse-line | preformat | attrib | speaker | license-p | ali:license_ref" mode="lines">
    <xsl:value-of select="$line"/><xsl:apply-templates mode="lines"/><xsl:value-of select="$line"/>
  </xsl:template>
  <xsl:template match="td | th" mode="lines"><xsl:apply-templates mode="lines"/><xsl:text> </xsl:text></xsl:template>
  <xsl:template match="break" mode="lines"><xsl:text> </xsl:text></xsl:template>
  <xsl:template match="ref-list | tex-math | object-id" mode="lines"/>

  <!-- Outlinks. What a link names by a number of some database has no address, but for a DOI. -->
  <xsl:template match="*" mode="links">
    <xsl:for-each select=".//ext-link[@xlink:href] | .//self-uri | .//inline-supplementary-material[@xlink:href] | .//supplementary-material[@xlink:href] | .//uri | .//license[@xlink:href] | .//related-article[@xlink:href] | .//ref-list//pub-id[@pub-id-type = 'doi']">
      <xsl:variable name="given" select="normalize-space(@xlink:href)"/>
      <xsl:variable name="address"><xsl:choose>
        <xsl:when test="not($given) and self::pub-id"><xsl:call-template name="doi"/></xsl:when>
        <xsl:when test="not($given)"><xsl:value-of select="normalize-space()"/></xsl:when>
        <xsl:when test="contains($given, '://')"><xsl:value-of select="$given"/></xsl:when>
        <xsl:when test="@ext-link-type = 'doi' or self::pub-id"><xsl:call-template name="doi"><xsl:with-param name="id" select="$given"/></xsl:call-template></xsl:when>
        <xsl:when test="starts-with($given, 'www.')"><xsl:value-of select="concat('http://', $given)"/></xsl:when>
        <xsl:when test="not(@ext-link-type) or contains(' uri url ftp http https ', concat(' ', @ext-link-type, ' '))"><xsl:value-of select="$given"/></xsl:when>
      </xsl:choose></xsl:variable>
      <xsl:if test="string($address)">
        <n:outlink url="{$address}" element="{local-name()}"><xsl:if test="@xlink:href and not(self::license or self::pub-id)"><xsl:apply-templates mode="lines"/></xsl:if></n:outlink>
      </xsl:if>
    </xsl:for-each>
  </xsl:template>

  <!-- The address of a DOI, which may be given as one already. -->
  <xsl:template name="doi">
    <xsl:param name="id" select="normalize-space()"/>
    <xsl:text>https://doi.org/</xsl:text>
    <xsl:choose>
      <xsl:when test="contains($id, 'doi.org/')"><xsl:value-of select="substring-after($id, 'doi.org/')"/></xsl:when>
      <xsl:when test="starts-with($id, 'doi:') or starts-with($id, 'DOI:')"><xsl:value-of select="normalize-space(substring-after($id, ':'))"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="$id"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
