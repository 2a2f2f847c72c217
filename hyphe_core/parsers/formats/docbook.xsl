<?xml version="1.0" encoding="UTF-8"?>
<!-- DocBook by local names: version 5 has a namespace and `info`, version 4 none and `bookinfo`, `articleinfo`. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse" xmlns:xlink="http://www.w3.org/1999/xlink" exclude-result-prefixes="xlink">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/">
    <xsl:variable name="info" select="/*/*[local-name() = 'info' or (substring-before(local-name(), 'info') and not(substring-after(local-name(), 'info')))][1]"/>
    <n:parse status="success">
      <n:title><xsl:value-of select="(/*/*[local-name() = 'title'] | $info/*[local-name() = 'title'] | /*/*[local-name() = 'refmeta']/*[local-name() = 'refentrytitle'])[1]"/></n:title>
      <xsl:for-each select="$info//*[local-name() = 'author' or local-name() = 'corpauthor']"><n:creator><xsl:call-template name="person"/></n:creator></xsl:for-each>
      <xsl:for-each select="$info//*[local-name() = 'keyword' or local-name() = 'subjectterm']"><n:subject><xsl:value-of select="."/></n:subject></xsl:for-each>
      <xsl:for-each select="$info/*[local-name() = 'abstract']"><n:description><xsl:apply-templates mode="lines"/></n:description></xsl:for-each>
      <xsl:for-each select="$info//*[local-name() = 'publishername']"><n:publisher><xsl:value-of select="."/></n:publisher></xsl:for-each>
      <xsl:for-each select="$info//*[local-name() = 'editor' or local-name() = 'othercredit']"><n:contributor><xsl:call-template name="person"/></n:contributor></xsl:for-each>
      <xsl:for-each select="$info/*[local-name() = 'pubdate' or local-name() = 'date']"><n:date><xsl:value-of select="."/></n:date></xsl:for-each>
      <xsl:for-each select="$info/*[local-name() = 'copyright']"><n:rights><xsl:for-each select="*"><xsl:value-of select="."/><xsl:text> </xsl:text></xsl:for-each></n:rights></xsl:for-each>
      <xsl:for-each select="$info/*[local-name() = 'legalnotice']"><n:rights><xsl:apply-templates mode="lines"/></n:rights></xsl:for-each>
      <xsl:call-template name="facts"><xsl:with-param name="language" select="/*/@xml:lang | /*/@lang"/></xsl:call-template>
      <n:text><xsl:apply-templates select="/*/*" mode="lines"/></n:text>
      <xsl:for-each select="//@*[(local-name() = 'href' and namespace-uri() = 'http://www.w3.org/1999/xlink') or local-name() = 'fileref' or (local-name() = 'url' and local-name(..) = 'ulink')]">
        <xsl:if test="not(starts-with(., '#'))"><n:outlink url="{.}" element="{local-name(..)}"><xsl:value-of select=".."/></n:outlink></xsl:if>
      </xsl:for-each>
      <xsl:for-each select="//*[local-name() = 'uri'][not(@xlink:href)][contains(., '://')]"><n:outlink url="{normalize-space()}" element="uri"/></xsl:for-each>
      <xsl:for-each select="$info/*[local-name() = 'biblioid' or local-name() = 'isbn' or local-name() = 'issn' or local-name() = 'edition' or local-name() = 'releaseinfo']"><n:meta name="docbook.{local-name()}"><xsl:value-of select="."/></n:meta></xsl:for-each>
      <xsl:for-each select="/*/@version"><n:meta name="docbook.version"><xsl:value-of select="."/></n:meta></xsl:for-each>
    </n:parse>
  </xsl:template>

  <!-- Without where people belong to and how they are reached. -->
  <xsl:template name="person">
    <xsl:variable name="parts" select="(. | *[local-name() = 'personname'])/*[local-name() = 'firstname' or local-name() = 'givenname' or local-name() = 'othername' or local-name() = 'surname' or local-name() = 'orgname']"/>
    <xsl:choose>
      <xsl:when test="$parts"><xsl:for-each select="$parts"><xsl:value-of select="."/><xsl:text> </xsl:text></xsl:for-each></xsl:when>
      <xsl:when test="*[local-name() = 'personname']"><xsl:value-of select="*[local-name() = 'personname']"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="."/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- One template for all: finding the one whose condition holds takes time that grows with the siblings. -->
  <xsl:template match="*" mode="lines">
    <xsl:choose>
      <xsl:when test="local-name() = 'info' or local-name() = 'bookinfo' or local-name() = 'articleinfo' or local-name() = 'chapterinfo' or local-name() = 'sectioninfo' or local-name() = 'indexterm' or local-name() = 'refentryinfo' or local-name() = 'manvolnum'"/>
      <xsl:when test="local-name() = 'entry' or local-name() = 'td' or local-name() = 'th'"><xsl:apply-templates mode="lines"/><xsl:text> </xsl:text></xsl:when>
      <xsl:when test="local-name() = 'para' or local-name() = 'simpara' or local-name() = 'title' or local-name() = 'listitem' or local-name() = 'row' or local-name() = 'term' or local-name() = 'programlisting' or local-name() = 'screen' or local-name() = 'tr' or local-name() = 'refentrytitle' or local-name() = 'refname' or local-name() = 'refpurpose' or local-name() = 'subtitle' or local-name() = 'member' or local-name() = 'literallayout' or local-name() = 'attribution' or local-name() = 'synopsis'"><xsl:value-of select="$line"/><xsl:apply-templates mode="lines"/><xsl:value-of select="$line"/></xsl:when>
      <xsl:otherwise><xsl:apply-templates mode="lines"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
