<?xml version="1.0" encoding="UTF-8"?>
<!-- The document that the XPath pre-processor writes: fields named as in parse-out fill these, others are meta. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/fields">
    <n:parse status="success">
      <xsl:call-template name="facts"><xsl:with-param name="language" select="field[@name = 'language']"/></xsl:call-template>
      <n:text><xsl:for-each select="field[@name = 'text']"><xsl:value-of select="concat(., $line)"/></xsl:for-each></n:text>
      <xsl:apply-templates select="field"/>
    </n:parse>
  </xsl:template>

  <xsl:template match="field"><n:meta name="{@name}"><xsl:value-of select="."/></n:meta></xsl:template>
  <xsl:template match="field[@name = 'text' or @name = 'language']"/>
  <xsl:template match="field[contains(' title creator subject description publisher contributor date modified type source relation coverage rights ', concat(' ', @name, ' '))]">
    <xsl:element name="n:{@name}"><xsl:value-of select="."/></xsl:element>
  </xsl:template>
  <xsl:template match="field[@name = 'outlink']">
    <n:outlink element="outlink">
      <xsl:attribute name="url"><xsl:choose><xsl:when test="@url"><xsl:value-of select="@url"/></xsl:when><xsl:otherwise><xsl:value-of select="."/></xsl:otherwise></xsl:choose></xsl:attribute>
      <xsl:if test="@url"><xsl:value-of select="."/></xsl:if>
    </n:outlink>
  </xsl:template>
</xsl:stylesheet>
