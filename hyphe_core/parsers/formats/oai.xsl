<?xml version="1.0" encoding="UTF-8"?>
<!-- Harvested records. A record's link is the first web address or DOI among its identifiers, else the answer's own
     address with the record's identifier as fragment. Articles of journals are read as such; of other records in
     Dublin Core what it tells, of the rest what is called alike. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"
    xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:str="http://exslt.org/strings" exclude-result-prefixes="dc dcterms xlink str">
  <xsl:import href="jats.xsl"/>

  <xsl:template match="/">
    <xsl:variable name="records" select="/*/*/*[local-name() = 'record'][*[local-name() = 'header']]"/>
    <xsl:variable name="request" select="/*/*[local-name() = 'request'][1]"/>
    <n:parses>
      <n:parse status="success">
        <n:title><xsl:value-of select="(//*[local-name() = 'repositoryName'])[1]"/></n:title>
        <xsl:call-template name="facts"/>
        <n:text><xsl:if test="not($records)"><xsl:for-each select="/*/*[not(local-name() = 'responseDate' or local-name() = 'request')]"><xsl:for-each select=".//text()"><xsl:copy/><xsl:text> </xsl:text></xsl:for-each></xsl:for-each></xsl:if></n:text>
        <xsl:for-each select="$records[not(*[local-name() = 'header']/@status = 'deleted')]">
          <xsl:variable name="address"><xsl:call-template name="address"/></xsl:variable>
          <xsl:if test="not(contains($address, '#oai-'))"><n:outlink url="{$address}" element="record"><xsl:call-template name="record-title"/></n:outlink></xsl:if>
        </xsl:for-each>
        <xsl:for-each select="//*[local-name() = 'resumptionToken'][normalize-space()]">
          <xsl:if test="$request[normalize-space()]/@verb"><n:outlink url="{normalize-space($request)}?verb={$request/@verb}&amp;resumptionToken={str:encode-uri(normalize-space(), true())}" element="resumptionToken"/></xsl:if>
          <n:meta name="oai.resumption-token"><xsl:value-of select="."/></n:meta>
        </xsl:for-each>
        <n:meta name="oai.verb"><xsl:value-of select="$request/@verb"/></n:meta>
        <n:meta name="oai.records"><xsl:value-of select="count($records)"/></n:meta>
        <xsl:for-each select="/*/*[local-name() = 'error']"><n:meta name="oai.error"><xsl:value-of select="@code"/></n:meta></xsl:for-each>
      </n:parse>
      <xsl:apply-templates select="$records"/>
    </n:parses>
  </xsl:template>

  <xsl:template match="*">
    <xsl:variable name="link"><xsl:call-template name="address"/></xsl:variable>
    <xsl:variable name="article" select="*[local-name() = 'metadata']/article[front]"/>
    <xsl:choose>
      <xsl:when test="$article"><xsl:apply-templates select="$article[1]" mode="article"><xsl:with-param name="link" select="string($link)"/></xsl:apply-templates></xsl:when>
      <xsl:otherwise><xsl:call-template name="record"><xsl:with-param name="link" select="$link"/></xsl:call-template></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="record">
    <xsl:param name="link"/>
    <xsl:variable name="told" select="*[local-name() = 'metadata'][1]//*"/>
    <xsl:variable name="core" select="$told[self::dc:* or self::dcterms:*]"/>
    <n:parse status="success">
      <n:link><xsl:value-of select="$link"/></n:link>
      <n:content-type><xsl:value-of select="$content-type"/></n:content-type>
      <n:title><xsl:call-template name="record-title"/></n:title>
      <xsl:for-each select="$core[contains(' creator subject description publisher contributor date modified type source language relation coverage rights ', concat(' ', local-name(), ' '))]">
        <xsl:element name="n:{local-name()}"><xsl:value-of select="."/></xsl:element>
      </xsl:for-each>
      <xsl:for-each select="$core[self::dcterms:issued or self::dcterms:created or self::dcterms:available]"><n:date><xsl:value-of select="."/></n:date></xsl:for-each>
      <xsl:for-each select="$core[self::dcterms:spatial or self::dcterms:temporal]"><n:coverage><xsl:value-of select="."/></n:coverage></xsl:for-each>
      <xsl:for-each select="$core[self::dcterms:license or self::dcterms:accessRights]"><n:rights><xsl:value-of select="."/></n:rights></xsl:for-each>
      <xsl:for-each select="$core/self::dcterms:abstract"><n:description><xsl:value-of select="."/></n:description></xsl:for-each>
      <xsl:if test="not($core)">
        <xsl:for-each select="$told[local-name() = 'creatorName' or local-name() = 'namePart' or (@code = 'a' and (../@tag = '100' or ../@tag = '700'))]"><n:creator><xsl:value-of select="."/></n:creator></xsl:for-each>
        <xsl:for-each select="$told[local-name() = 'publicationYear' or local-name() = 'dateIssued']"><n:date><xsl:value-of select="."/></n:date></xsl:for-each>
        <xsl:for-each select="$told[local-name() = 'abstract']"><n:description><xsl:value-of select="."/></n:description></xsl:for-each>
      </xsl:if>
      <n:text>
        <xsl:choose>
          <xsl:when test="$core"><xsl:for-each select="$core[self::dc:description or self::dcterms:description or self::dcterms:abstract]"><xsl:value-of select="concat(., $line)"/></xsl:for-each></xsl:when>
          <xsl:otherwise><xsl:for-each select="*[local-name() = 'metadata'][1]//text()"><xsl:copy/><xsl:text> </xsl:text></xsl:for-each></xsl:otherwise>
        </xsl:choose>
      </n:text>
      <xsl:for-each select="$told[contains(' identifier relation source url uri ', concat(' ', local-name(), ' ')) or (@code = 'u' and ../@tag = '856')][starts-with(normalize-space(), 'http://') or starts-with(normalize-space(), 'https://')]">
        <n:outlink url="{normalize-space()}" element="{local-name()}"/>
      </xsl:for-each>
      <xsl:call-template name="header"/>
      <xsl:for-each select="$core[local-name() = 'identifier'][normalize-space() != string($link)]"><n:meta name="dc.identifier"><xsl:value-of select="."/></n:meta></xsl:for-each>
    </n:parse>
  </xsl:template>

  <xsl:template name="more">
    <xsl:for-each select="ancestor::*[local-name() = 'record'][1]"><xsl:call-template name="header"/></xsl:for-each>
  </xsl:template>

  <xsl:template name="header">
    <xsl:for-each select="*[local-name() = 'header']">
      <n:meta name="oai.identifier"><xsl:value-of select="*[local-name() = 'identifier']"/></n:meta>
      <n:meta name="oai.datestamp"><xsl:value-of select="*[local-name() = 'datestamp']"/></n:meta>
      <xsl:for-each select="*[local-name() = 'setSpec']"><n:meta name="oai.set"><xsl:value-of select="."/></n:meta></xsl:for-each>
      <xsl:for-each select="@status"><n:meta name="oai.status"><xsl:value-of select="."/></n:meta></xsl:for-each>
    </xsl:for-each>
  </xsl:template>

  <xsl:template name="record-title">
    <xsl:variable name="told" select="*[local-name() = 'metadata'][1]//*"/>
    <xsl:variable name="best" select="$told[self::dc:title or self::dcterms:title or self::article-title]"/>
    <xsl:choose>
      <xsl:when test="$best"><xsl:value-of select="$best[1]"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="$told[translate(local-name(), 'TILE', 'tile') = 'title' or (@code = 'a' and ../@tag = '245')][1]"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="address">
    <xsl:variable name="told" select="*[local-name() = 'metadata'][1]//*"/>
    <xsl:variable name="address" select="$told[contains(' identifier url uri ', concat(' ', local-name(), ' ')) or (@code = 'u' and ../@tag = '856')][starts-with(normalize-space(), 'http://') or starts-with(normalize-space(), 'https://')][1]"/>
    <xsl:variable name="own" select="$told/self::article-meta/self-uri/@xlink:href[starts-with(., 'http')]"/>
    <xsl:variable name="doi" select="$told[@identifierType = 'DOI' or self::article-id[@pub-id-type = 'doi'][ancestor::article-meta] or (local-name() = 'identifier' and starts-with(translate(normalize-space(), 'DOI', 'doi'), 'doi:10.'))][1]"/>
    <xsl:choose>
      <xsl:when test="$address"><xsl:value-of select="normalize-space($address)"/></xsl:when>
      <xsl:when test="$own"><xsl:value-of select="$own[1]"/></xsl:when>
      <xsl:when test="$doi"><xsl:call-template name="doi"><xsl:with-param name="id" select="normalize-space($doi)"/></xsl:call-template></xsl:when>
      <xsl:otherwise><xsl:value-of select="concat($url, '#oai-', normalize-space(*[local-name() = 'header']/*[local-name() = 'identifier']))"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
