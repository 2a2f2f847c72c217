<?xml version="1.0" encoding="UTF-8"?>
<!-- Any well-formed XML: a title near the root, all text, everything that looks like a link. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse" exclude-result-prefixes="n">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/">
    <n:parse status="success">
      <n:title><xsl:value-of select="(/*/*[translate(local-name(), 'TILE', 'tile') = 'title'] | /*/*/*[translate(local-name(), 'TILE', 'tile') = 'title'])[1]"/></n:title>
      <xsl:call-template name="facts"/>
      <xsl:call-template name="text"/>
      <xsl:for-each select="//@*[local-name() = 'href' or local-name() = 'src']">
        <n:outlink url="{.}" element="{local-name(..)}"><xsl:copy-of select="..//text()"/></n:outlink>
      </xsl:for-each>
      <xsl:for-each select="//link | //url | //loc | //uri | //guid[not(@isPermaLink = 'false')]">
        <xsl:call-template name="address"/>
      </xsl:for-each>
      <xsl:if test="//namespace::*[. != 'http://www.w3.org/XML/1998/namespace'][1]">
        <xsl:for-each select="//*[namespace-uri()][local-name() = 'link' or local-name() = 'url' or local-name() = 'loc' or local-name() = 'uri']">
          <xsl:call-template name="address"/>
        </xsl:for-each>
      </xsl:if>
    </n:parse>
  </xsl:template>

  <xsl:template name="address">
    <xsl:variable name="address" select="normalize-space()"/>
    <xsl:if test="starts-with($address, 'http://') or starts-with($address, 'https://')">
      <n:outlink url="{$address}" element="{local-name()}"/>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
