<?xml version="1.0" encoding="UTF-8"?>
<!-- Harvested records. A record's link is the first web address among its identifiers, else the answer's own
     address with the record's identifier as fragment. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse" xmlns:dc="http://purl.org/dc/elements/1.1/"
    exclude-result-prefixes="dc">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/">
    <xsl:variable name="records" select="//*[local-name() = 'record'][*[local-name() = 'header']]"/>
    <n:parses>
      <n:parse status="success">
        <n:title><xsl:value-of select="(//*[local-name() = 'repositoryName'])[1]"/></n:title>
        <xsl:call-template name="facts"/>
        <n:text><xsl:if test="not($records)"><xsl:for-each select="/*/*[not(local-name() = 'responseDate' or local-name() = 'request')]//text()"><xsl:copy/><xsl:text> </xsl:text></xsl:for-each></xsl:if></n:text>
        <xsl:for-each select="$records[not(*[local-name() = 'header']/@status = 'deleted')]">
          <xsl:variable name="address"><xsl:call-template name="address"/></xsl:variable>
          <xsl:if test="not(contains($address, '#oai-'))"><n:outlink url="{$address}" element="record"><xsl:value-of select=".//dc:title[1]"/></n:outlink></xsl:if>
        </xsl:for-each>
        <xsl:for-each select="//*[local-name() = 'resumptionToken'][normalize-space()]">
          <n:meta name="oai.resumption-token"><xsl:value-of select="."/></n:meta>
        </xsl:for-each>
        <n:meta name="oai.verb"><xsl:value-of select="/*/*[local-name() = 'request']/@verb"/></n:meta>
        <n:meta name="oai.records"><xsl:value-of select="count($records)"/></n:meta>
        <xsl:for-each select="/*/*[local-name() = 'error']"><n:meta name="oai.error"><xsl:value-of select="@code"/></n:meta></xsl:for-each>
      </n:parse>
      <xsl:apply-templates select="$records"/>
    </n:parses>
  </xsl:template>

  <xsl:template match="*">
    <n:parse status="success">
      <n:link><xsl:call-template name="address"/></n:link>
      <n:content-type><xsl:value-of select="$content-type"/></n:content-type>
      <n:title><xsl:value-of select="(.//dc:title | .//*[local-name() = 'article-title'])[1]"/></n:title>
      <xsl:for-each select=".//dc:creator | .//dc:subject | .//dc:description | .//dc:publisher | .//dc:contributor | .//dc:date | .//dc:type | .//dc:source | .//dc:language | .//dc:relation | .//dc:coverage | .//dc:rights">
        <xsl:element name="n:{local-name()}"><xsl:value-of select="."/></xsl:element>
      </xsl:for-each>
      <n:text>
        <xsl:choose>
          <xsl:when test=".//dc:title"><xsl:for-each select=".//dc:description"><xsl:value-of select="concat(., $line)"/></xsl:for-each></xsl:when>
          <xsl:otherwise><xsl:for-each select="*[local-name() = 'metadata']//text()"><xsl:copy/><xsl:text> </xsl:text></xsl:for-each></xsl:otherwise>
        </xsl:choose>
      </n:text>
      <xsl:for-each select=".//dc:identifier[starts-with(., 'http')] | .//dc:relation[starts-with(., 'http')] | .//dc:source[starts-with(., 'http')]">
        <n:outlink url="{normalize-space()}" element="{local-name()}"/>
      </xsl:for-each>
      <n:meta name="oai.identifier"><xsl:value-of select="*[local-name() = 'header']/*[local-name() = 'identifier']"/></n:meta>
      <n:meta name="oai.datestamp"><xsl:value-of select="*[local-name() = 'header']/*[local-name() = 'datestamp']"/></n:meta>
      <xsl:for-each select="*[local-name() = 'header']/*[local-name() = 'setSpec']"><n:meta name="oai.set"><xsl:value-of select="."/></n:meta></xsl:for-each>
      <xsl:for-each select="*[local-name() = 'header']/@status"><n:meta name="oai.status"><xsl:value-of select="."/></n:meta></xsl:for-each>
      <xsl:for-each select=".//dc:identifier[not(starts-with(., 'http'))]"><n:meta name="dc.identifier"><xsl:value-of select="."/></n:meta></xsl:for-each>
    </n:parse>
  </xsl:template>

  <xsl:template name="address">
    <xsl:variable name="address" select=".//dc:identifier[starts-with(normalize-space(), 'http://') or starts-with(normalize-space(), 'https://')][1]"/>
    <xsl:choose>
      <xsl:when test="$address"><xsl:value-of select="normalize-space($address)"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="concat($url, '#oai-', normalize-space(*[local-name() = 'header']/*[local-name() = 'identifier']))"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
