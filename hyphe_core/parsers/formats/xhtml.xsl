<?xml version="1.0" encoding="UTF-8"?>
<!-- Web pages as trees, with the namespace of XHTML or without. Pages of crawls go another, quicker way. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/">
    <xsl:variable name="head" select="/*/*[local-name() = 'head'][1]"/>
    <xsl:variable name="metas" select="$head/*[local-name() = 'meta'][@name and @content]"/>
    <n:parse status="success">
      <n:title><xsl:value-of select="($head//*[local-name() = 'title'])[1]"/></n:title>
      <xsl:for-each select="$metas">
        <xsl:variable name="name" select="translate(@name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')"/>
        <xsl:choose>
          <xsl:when test="$name = 'dc.creator' or $name = 'citation_author' or $name = 'author'"><n:creator><xsl:value-of select="@content"/></n:creator></xsl:when>
          <xsl:when test="$name = 'dc.subject' or $name = 'keywords'"><n:subject><xsl:value-of select="@content"/></n:subject></xsl:when>
          <xsl:when test="$name = 'dc.description' or $name = 'description'"><n:description><xsl:value-of select="@content"/></n:description></xsl:when>
          <xsl:when test="$name = 'dc.publisher' or $name = 'citation_publisher'"><n:publisher><xsl:value-of select="@content"/></n:publisher></xsl:when>
          <xsl:when test="$name = 'dc.contributor'"><n:contributor><xsl:value-of select="@content"/></n:contributor></xsl:when>
          <xsl:when test="$name = 'dc.date' or $name = 'citation_publication_date'"><n:date><xsl:value-of select="@content"/></n:date></xsl:when>
          <xsl:when test="$name = 'dc.type'"><n:type><xsl:value-of select="@content"/></n:type></xsl:when>
          <xsl:when test="$name = 'dc.source'"><n:source><xsl:value-of select="@content"/></n:source></xsl:when>
          <xsl:when test="$name = 'dc.relation'"><n:relation><xsl:value-of select="@content"/></n:relation></xsl:when>
          <xsl:when test="$name = 'dc.coverage'"><n:coverage><xsl:value-of select="@content"/></n:coverage></xsl:when>
          <xsl:when test="$name = 'dc.rights'"><n:rights><xsl:value-of select="@content"/></n:rights></xsl:when>
        </xsl:choose>
        <n:meta name="metatag.{$name}"><xsl:value-of select="@content"/></n:meta>
      </xsl:for-each>
      <xsl:call-template name="facts"><xsl:with-param name="language" select="/*/@xml:lang | /*/@lang"/></xsl:call-template>
      <xsl:for-each select="$head/*[local-name() = 'link'][@rel = 'canonical']/@href"><n:meta name="html.canonical"><xsl:value-of select="."/></n:meta></xsl:for-each>
      <n:text><xsl:apply-templates select="/*/*[local-name() = 'body']" mode="lines"/></n:text>
      <xsl:for-each select="//@*[(name() = 'href' and contains(' a area link ', concat(' ', local-name(..), ' '))) or (name() = 'src' and contains(' frame iframe img script source ', concat(' ', local-name(..), ' ')))]">
        <n:outlink url="{.}" element="{local-name(..)}" rel="{../@rel}"><xsl:if test="not(parent::*[local-name() = 'script'])"><xsl:value-of select=".."/></xsl:if></n:outlink>
      </xsl:for-each>
    </n:parse>
  </xsl:template>

  <!-- One template for all: finding the one whose condition holds takes time that grows with the siblings. -->
  <xsl:template match="*" mode="lines">
    <xsl:choose>
      <xsl:when test="local-name() = 'script' or local-name() = 'style' or local-name() = 'noscript' or local-name() = 'template'"/>
      <xsl:when test="local-name() = 'td' or local-name() = 'th'"><xsl:apply-templates mode="lines"/><xsl:text> </xsl:text></xsl:when>
      <xsl:when test="contains(' p div h1 h2 h3 h4 h5 h6 li dt dd tr table ul ol dl section article header footer nav aside main figure figcaption blockquote pre form fieldset address br hr ', concat(' ', local-name(), ' '))"><xsl:value-of select="$line"/><xsl:apply-templates mode="lines"/><xsl:value-of select="$line"/></xsl:when>
      <xsl:otherwise><xsl:apply-templates mode="lines"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
