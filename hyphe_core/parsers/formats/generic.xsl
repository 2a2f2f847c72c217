<?xml version="1.0" encoding="UTF-8"?>
<!-- Any well-formed XML: a title near the root, all text, everything that looks like a link. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/">
    <n:parse status="success">
      <xsl:variable name="titles" select="/*/*[local-name() = 'title' or local-name() = 'Title' or local-name() = 'TITLE']"/>
      <n:title>
        <xsl:choose>
          <xsl:when test="$titles"><xsl:value-of select="$titles[1]"/></xsl:when>
          <xsl:otherwise><xsl:value-of select="(/*/*/*[local-name() = 'title' or local-name() = 'Title' or local-name() = 'TITLE'])[1]"/></xsl:otherwise>
        </xsl:choose>
      </n:title>
      <xsl:call-template name="facts"/>
      <xsl:call-template name="text"/>
      <xsl:call-template name="outlinks">
        <xsl:with-param name="addresses" select="//@*[local-name() = 'href' or local-name() = 'src']"/>
      </xsl:call-template>
      <xsl:if test="$has-addresses">
        <xsl:apply-templates select="//link | //url | //loc | //uri | //guid[not(@isPermaLink = 'false')]" mode="address"/>
        <!-- The same in a namespace; looking for them takes longer. -->
        <xsl:if test="$namespace or /*/*[namespace-uri()] or /*/*/*[namespace-uri()]">
          <xsl:apply-templates select="//text()[contains(., '://')]/parent::*[namespace-uri()][not(*)][contains(' link url loc uri ', concat(' ', local-name(), ' '))]" mode="address"/>
        </xsl:if>
      </xsl:if>
    </n:parse>
  </xsl:template>

  <xsl:template match="*" mode="address">
    <xsl:variable name="address" select="normalize-space()"/>
    <xsl:if test="starts-with($address, 'http://') or starts-with($address, 'https://')">
      <n:outlink url="{$address}" element="{local-name()}"/>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
