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
        <!-- One after the other: each node of a union is compared with all of its other part. -->
        <xsl:apply-templates select="//link" mode="address"/>
        <xsl:apply-templates select="//url" mode="address"/>
        <xsl:apply-templates select="//loc" mode="address"/>
        <xsl:apply-templates select="//uri" mode="address"/>
        <xsl:apply-templates select="//guid[not(@isPermaLink = 'false')]" mode="address"/>
        <!-- The same in a namespace; looking for them takes longer. -->
        <xsl:if test="$namespace or /*/*[namespace-uri()] or /*/*/*[namespace-uri()]">
          <xsl:for-each select="//text()[contains(., '://')][namespace-uri(..)][contains(' link url loc uri ', concat(' ', local-name(..), ' '))][not(preceding-sibling::*[1])][not(following-sibling::*[1])]">
            <xsl:apply-templates select=".." mode="address"/>
          </xsl:for-each>
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
