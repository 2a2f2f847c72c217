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
    <xsl:variable name="meta" select="(front/article-meta | front-stub)[1]"/>
    <xsl:variable name="journal" select="(front/journal-meta)[1]"/>
    <xsl:variable name="dates" select="$meta/pub-date"/>
    <xsl:variable name="electronic" select="$dates[contains(concat(@pub-type, @date-type, @publication-format), 'epub') or @publication-format = 'electronic']"/>
    <!-- Not that of the collection, which is less exact. (Of unions the parts are small here and below: each node
         of one is compared with all of the other.) -->
    <xsl:variable name="best" select="$electronic[not(contains(concat(@pub-type, @date-type), 'collection'))][1]"/>
    <xsl:variable name="is-electronic" select="boolean($electronic)"/>
    <xsl:variable name="is-best" select="boolean($best)"/>
    <n:parse status="success">
      <n:title><xsl:apply-templates select="($meta/title-group[1]/article-title[1] | $meta/article-title[1])[1]" mode="plain"/></n:title>
      <xsl:for-each select="$meta//contrib[@contrib-type = 'author' or not(@contrib-type)][not(ancestor::sub-article)]">
        <n:creator><xsl:call-template name="person"/></n:creator>
      </xsl:for-each>
      <xsl:for-each select="$meta//*[self::kwd or self::compound-kwd[parent::kwd-group] or self::subject[ancestor::article-categories]]">
        <n:subject><xsl:for-each select="compound-kwd-part"><xsl:value-of select="concat(., ' ')"/></xsl:for-each><xsl:if test="not(self::compound-kwd)"><xsl:value-of select="."/></xsl:if></n:subject>
      </xsl:for-each>
      <xsl:for-each select="$meta/*[self::abstract or self::trans-abstract]">
        <n:description><xsl:apply-templates mode="lines"/></n:description>
      </xsl:for-each>
      <xsl:for-each select="$journal/publisher/publisher-name"><n:publisher><xsl:value-of select="."/></n:publisher></xsl:for-each>
      <xsl:for-each select="$meta//contrib[@contrib-type][not(@contrib-type = 'author')]">
        <n:contributor><xsl:call-template name="person"/></n:contributor>
      </xsl:for-each>
      <xsl:for-each select="($best | $electronic[not($is-best)] | $dates[not($is-electronic)])[1]">
        <n:date><xsl:call-template name="date"/></n:date>
      </xsl:for-each>
      <xsl:for-each select="@article-type"><n:type><xsl:value-of select="."/></n:type></xsl:for-each>
      <xsl:for-each select="($journal//journal-title)[1]"><n:source><xsl:value-of select="."/></n:source></xsl:for-each>
      <xsl:for-each select="$meta/related-article">
        <n:relation><xsl:value-of select="@xlink:href"/><xsl:if test="not(@xlink:href)"><xsl:value-of select="."/></xsl:if></n:relation>
      </xsl:for-each>
      <xsl:for-each select="$meta//copyright-statement[parent::article-meta or parent::permissions]"><n:rights><xsl:value-of select="."/></n:rights></xsl:for-each>
      <xsl:for-each select="$meta//license[parent::article-meta or parent::permissions]">
        <n:rights><xsl:choose><xsl:when test="normalize-space()"><xsl:apply-templates mode="lines"/></xsl:when><xsl:otherwise><xsl:value-of select="@xlink:href"/></xsl:otherwise></xsl:choose></n:rights>
      </xsl:for-each>
      <xsl:call-template name="facts">
        <xsl:with-param name="link" select="$link"/>
        <xsl:with-param name="language" select="@xml:lang"/>
      </xsl:call-template>
      <n:text>
        <xsl:apply-templates select="$meta/*[self::abstract or self::trans-abstract]" mode="lines"/>
        <xsl:apply-templates select="*[self::body or self::back or self::floats-group]" mode="lines"/>
        <xsl:apply-templates select="*[self::sub-article or self::response]/body" mode="lines"/>
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
    <xsl:variable name="named" select="name[1] | name-alternatives[1]/name[1]"/>
    <xsl:variable name="strings" select="string-name[1] | name-alternatives[1]/string-name[1]"/>
    <xsl:choose>
      <xsl:when test="$named"><xsl:apply-templates select="$named[1]" mode="person"/></xsl:when>
      <xsl:when test="$strings"><xsl:apply-templates select="$strings[1]" mode="person"/></xsl:when>
      <xsl:otherwise><xsl:apply-templates select="(collab[1] | collab-alternatives[1]/collab[1] | on-behalf-of[1])[1]" mode="plain"/></xsl:otherwise>
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
    <xsl:for-each select="$meta/*[self::issue or self::numero]"><n:meta name="jats.issue"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/fpage"><n:meta name="jats.fpage"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/lpage"><n:meta name="jats.lpage"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/elocation-id"><n:meta name="jats.elocation-id"><xsl:value-of select="."/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/title-group/subtitle"><n:meta name="jats.subtitle"><xsl:apply-templates select="." mode="plain"/></n:meta></xsl:for-each>
    <xsl:for-each select="$meta/title-group[1]//trans-title"><n:meta name="jats.trans-title"><xsl:apply-templates select="." mode="plain"/></n:meta></xsl:for-each>
    <n:meta name="jats.refs"><xsl:value-of select="count(.//ref[ancestor::ref-list])"/></n:meta>
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
    <xsl:for-each select=".//*[self::self-uri or self::uri or (@xlink:href and (self::ext-link or self::inline-supplementary-material or self::supplementary-material or self::license or self::related-article)) or self::pub-id[@pub-id-type = 'doi'][ancestor::ref-list]]">
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
        <n:outlink url="{$address}" element="{local-name()}"><xsl:choose>
          <xsl:when test="not(@xlink:href) or self::license or self::pub-id"/>
          <xsl:when test="self::supplementary-material"><xsl:for-each select="label | caption/title | caption/p"><xsl:value-of select="."/><xsl:text> </xsl:text></xsl:for-each></xsl:when>
          <xsl:otherwise><xsl:value-of select="."/></xsl:otherwise>
        </xsl:choose></n:outlink>
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
