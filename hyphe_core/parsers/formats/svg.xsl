<?xml version="1.0" encoding="UTF-8"?>
<!-- Title, description, visible text and links; references to parts of the image itself are none. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse" xmlns:dc="http://purl.org/dc/elements/1.1/" exclude-result-prefixes="dc">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/">
    <n:parse status="success">
      <n:title><xsl:value-of select="(/*/*[local-name() = 'title'] | //dc:title)[1]"/></n:title>
      <xsl:for-each select="//dc:creator"><n:creator><xsl:value-of select="."/></n:creator></xsl:for-each>
      <xsl:for-each select="/*/*[local-name() = 'desc'] | //dc:description"><n:description><xsl:value-of select="."/></n:description></xsl:for-each>
      <xsl:for-each select="//dc:date"><n:date><xsl:value-of select="."/></n:date></xsl:for-each>
      <xsl:for-each select="//dc:rights"><n:rights><xsl:value-of select="."/></n:rights></xsl:for-each>
      <xsl:call-template name="facts"/>
      <n:text><xsl:for-each select="//*[local-name() = 'text' or local-name() = 'p' or local-name() = 'div']">
        <xsl:if test="not(ancestor::*[local-name() = 'text' or local-name() = 'p' or local-name() = 'div'])">
          <xsl:for-each select=".//text()"><xsl:copy/><xsl:text> </xsl:text></xsl:for-each><xsl:value-of select="$line"/>
        </xsl:if>
      </xsl:for-each></n:text>
      <xsl:for-each select="//@*[local-name() = 'href']">
        <xsl:if test="not(starts-with(., '#') or starts-with(., 'data:'))">
          <n:outlink url="{.}" element="{local-name(..)}"><xsl:value-of select="normalize-space(..)"/></n:outlink>
        </xsl:if>
      </xsl:for-each>
      <xsl:for-each select="/*/@viewBox"><n:meta name="svg.view-box"><xsl:value-of select="."/></n:meta></xsl:for-each>
    </n:parse>
  </xsl:template>
</xsl:stylesheet>
