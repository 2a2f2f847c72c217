<?xml version="1.0" encoding="UTF-8"?>
<!-- TEI by local names, since P4 has no namespace: the header gives the facts, text/body the text. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/">
    <xsl:variable name="header" select="/*/*[local-name() = 'teiHeader']"/>
    <xsl:variable name="file" select="$header/*[local-name() = 'fileDesc']"/>
    <xsl:variable name="profile" select="$header/*[local-name() = 'profileDesc']"/>
    <xsl:variable name="statement" select="$file/*[local-name() = 'titleStmt']"/>
    <xsl:variable name="publication" select="$file/*[local-name() = 'publicationStmt']"/>
    <n:parse status="success">
      <n:title><xsl:value-of select="($statement/*[local-name() = 'title'][@type = 'main'] | $statement/*[local-name() = 'title'][not(../*[local-name() = 'title'][@type = 'main'])])[1]"/></n:title>
      <xsl:for-each select="$statement/*[local-name() = 'author']">
        <n:creator><xsl:choose>
          <xsl:when test="*[local-name() = 'persName']"><xsl:for-each select="*[local-name() = 'persName'][1]//text()"><xsl:copy/><xsl:text> </xsl:text></xsl:for-each></xsl:when>
          <xsl:otherwise><xsl:value-of select="."/></xsl:otherwise>
        </xsl:choose></n:creator>
      </xsl:for-each>
      <xsl:for-each select="$profile//*[local-name() = 'keywords']//*[local-name() = 'term' or local-name() = 'item'][not(*[local-name() = 'term'])]"><n:subject><xsl:value-of select="."/></n:subject></xsl:for-each>
      <xsl:for-each select="$profile/*[local-name() = 'abstract'] | /*/*[local-name() = 'text']/*[local-name() = 'front']/*[@type = 'abstract']"><n:description><xsl:value-of select="."/></n:description></xsl:for-each>
      <xsl:for-each select="$publication/*[local-name() = 'publisher']"><n:publisher><xsl:value-of select="."/></n:publisher></xsl:for-each>
      <xsl:for-each select="$statement/*[local-name() = 'respStmt']/*[local-name() = 'name' or local-name() = 'persName' or local-name() = 'orgName'] | $statement/*[local-name() = 'editor']"><n:contributor><xsl:value-of select="."/></n:contributor></xsl:for-each>
      <xsl:for-each select="($publication/*[local-name() = 'date'])[1]">
        <n:date><xsl:choose><xsl:when test="@when"><xsl:value-of select="@when"/></xsl:when><xsl:otherwise><xsl:value-of select="."/></xsl:otherwise></xsl:choose></n:date>
      </xsl:for-each>
      <xsl:for-each select="$file/*[local-name() = 'sourceDesc']/*[starts-with(local-name(), 'bibl')]"><n:source><xsl:for-each select=".//text()"><xsl:copy/><xsl:text> </xsl:text></xsl:for-each></n:source></xsl:for-each>
      <xsl:for-each select="$publication/*[local-name() = 'availability']"><n:rights><xsl:value-of select="."/></n:rights></xsl:for-each>
      <xsl:call-template name="facts">
        <xsl:with-param name="language" select="$profile/*[local-name() = 'langUsage']/*[local-name() = 'language']/@*[local-name() = 'ident' or local-name() = 'id'] | /*/@xml:lang | /*/*[local-name() = 'text']/@xml:lang"/>
      </xsl:call-template>
      <xsl:variable name="bodies" select="/*//*[local-name() = 'text']/*[local-name() = 'body']"/>
      <n:text><xsl:apply-templates select="$bodies" mode="lines"/></n:text>
      <xsl:for-each select="//*[local-name() = 'ref' or local-name() = 'ptr' or local-name() = 'xref' or local-name() = 'graphic' or local-name() = 'licence' or local-name() = 'xptr']/@*[local-name() = 'target' or local-name() = 'url' or local-name() = 'href']">
        <xsl:if test="not(starts-with(., '#'))"><n:outlink url="{.}" element="{local-name(..)}"><xsl:value-of select=".."/></n:outlink></xsl:if>
      </xsl:for-each>
      <xsl:for-each select="$publication//*[local-name() = 'idno']"><n:meta name="tei.idno"><xsl:value-of select="."/></n:meta></xsl:for-each>
      <n:meta name="tei.notes"><xsl:value-of select="count($bodies//*[local-name() = 'note'])"/></n:meta>
      <n:meta name="tei.words"><xsl:value-of select="string-length(normalize-space($bodies)) - string-length(translate(normalize-space($bodies), ' ', '')) + number(boolean(normalize-space($bodies)))"/></n:meta>
    </n:parse>
  </xsl:template>

  <!-- One template for all: finding the one whose condition holds takes time that grows with the siblings. -->
  <xsl:template match="*" mode="lines">
    <xsl:choose>
      <xsl:when test="local-name() = 'choice'"><xsl:apply-templates select="*[local-name() = 'corr' or local-name() = 'reg' or local-name() = 'expan'] | *[not(../*[local-name() = 'corr' or local-name() = 'reg' or local-name() = 'expan'])][1]" mode="lines"/></xsl:when>
      <xsl:when test="local-name() = 'cell'"><xsl:apply-templates mode="lines"/><xsl:text> </xsl:text></xsl:when>
      <xsl:when test="local-name() = 'p' or local-name() = 'head' or local-name() = 'l' or local-name() = 'item' or local-name() = 'ab' or local-name() = 'row' or local-name() = 'note' or local-name() = 'sp' or local-name() = 'speaker' or local-name() = 'stage' or local-name() = 'lb' or local-name() = 'opener' or local-name() = 'closer' or local-name() = 'dateline' or local-name() = 'salute' or local-name() = 'signed' or local-name() = 'byline'"><xsl:value-of select="$line"/><xsl:apply-templates mode="lines"/><xsl:value-of select="$line"/></xsl:when>
      <xsl:otherwise><xsl:apply-templates mode="lines"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
  <!-- Of two readings of one place the edited one. -->
</xsl:stylesheet>
