<?xml version="1.0" encoding="UTF-8"?>
<!-- TEI by local names, since P4 has no namespace: the header gives the facts, text/body the text. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse" xmlns:str="http://exslt.org/strings" exclude-result-prefixes="str">
  <xsl:import href="parts.xsl"/>

  <xsl:template match="/">
    <xsl:variable name="header" select="/*/*[local-name() = 'teiHeader'][1]"/>
    <xsl:variable name="file" select="$header/*[local-name() = 'fileDesc'][1]"/>
    <xsl:variable name="profile" select="$header/*[local-name() = 'profileDesc'][1]"/>
    <xsl:variable name="statement" select="$file/*[local-name() = 'titleStmt'][1]"/>
    <xsl:variable name="source" select="$file/*[local-name() = 'sourceDesc']"/>
    <xsl:variable name="publication" select="$file/*[local-name() = 'publicationStmt'][1]"/>
    <n:parse status="success">
      <!-- Whether there is one is asked once, not for each of the others. -->
      <xsl:variable name="titles" select="$statement/*[local-name() = 'title']"/>
      <xsl:variable name="is-main" select="boolean($titles[@type = 'main'])"/>
      <n:title><xsl:value-of select="$titles[@type = 'main' or not($is-main)][1]"/></n:title>
      <xsl:variable name="authors" select="$statement/*[local-name() = 'author']"/>
      <xsl:variable name="has-authors" select="boolean($authors)"/>
      <!-- Articles that were made TEI by a program name their authors in the source alone. -->
      <xsl:for-each select="$authors | $source/*[local-name() = 'biblStruct']/*/*[local-name() = 'author'][not($has-authors)]">
        <n:creator><xsl:call-template name="person"/></n:creator>
      </xsl:for-each>
      <xsl:for-each select="$profile//*[local-name() = 'keywords'][not(ancestor::*[local-name() = 'keywords'])]">
        <xsl:if test="not(*)"><n:subject><xsl:value-of select="."/></n:subject></xsl:if>
        <xsl:for-each select=".//*[local-name() = 'term' or local-name() = 'item'][not(*[local-name() = 'term'])]"><n:subject><xsl:value-of select="."/></n:subject></xsl:for-each>
      </xsl:for-each>
      <xsl:for-each select="$profile/*[local-name() = 'abstract'] | /*/*[local-name() = 'text']/*[local-name() = 'front']/*[@type = 'abstract']"><n:description><xsl:apply-templates mode="lines"/></n:description></xsl:for-each>
      <xsl:variable name="publishers" select="$publication/*[local-name() = 'publisher'][normalize-space()]"/>
      <xsl:variable name="has-publishers" select="boolean($publishers)"/>
      <xsl:for-each select="$publishers | $publication/*[local-name() = 'authority' or local-name() = 'distributor'][not($has-publishers)]"><n:publisher><xsl:value-of select="."/></n:publisher></xsl:for-each>
      <xsl:for-each select="$statement/*[local-name() = 'respStmt']/*[local-name() = 'name' or local-name() = 'persName' or local-name() = 'orgName'] | $statement/*[local-name() = 'editor']"><n:contributor><xsl:call-template name="person"/></n:contributor></xsl:for-each>
      <xsl:for-each select="($publication/*[local-name() = 'date'])[1]">
        <n:date><xsl:choose><xsl:when test="@when"><xsl:value-of select="@when"/></xsl:when><xsl:otherwise><xsl:value-of select="."/></xsl:otherwise></xsl:choose></n:date>
      </xsl:for-each>
      <xsl:for-each select="$source/*[starts-with(local-name(), 'bibl')] | $source/*[local-name() = 'listBibl']/*[starts-with(local-name(), 'bibl')] | ($source | $source/*)/*[local-name() = 'msDesc']/*[local-name() = 'msIdentifier']"><n:source><xsl:for-each select=".//text()"><xsl:copy/><xsl:text> </xsl:text></xsl:for-each></n:source></xsl:for-each>
      <xsl:for-each select="$publication/*[local-name() = 'availability']">
        <n:rights><xsl:apply-templates mode="lines"/><xsl:if test="not(normalize-space())"><xsl:value-of select="*/@target"/></xsl:if></n:rights>
      </xsl:for-each>
      <xsl:call-template name="facts">
        <xsl:with-param name="language" select="$profile/*[local-name() = 'langUsage']/*[local-name() = 'language']/@*[local-name() = 'ident' or local-name() = 'id'] | /*/@xml:lang | /*/*[local-name() = 'text']/@xml:lang"/>
      </xsl:call-template>
      <xsl:variable name="bodies" select="/*//*[local-name() = 'body'][parent::*[local-name() = 'text']][not(ancestor::*[local-name() = 'body'])]"/>
      <xsl:variable name="text"><xsl:apply-templates select="$bodies" mode="lines"/></xsl:variable>
      <xsl:variable name="words" select="normalize-space(translate($text, $line, ' '))"/>
      <n:text><xsl:value-of select="$text"/></n:text>
      <xsl:for-each select="//*[local-name() = 'ref' or local-name() = 'ptr' or local-name() = 'xref' or local-name() = 'graphic' or local-name() = 'licence' or local-name() = 'xptr']/@*[local-name() = 'target' or local-name() = 'url' or local-name() = 'href']">
        <xsl:variable name="element" select="local-name(..)"/>
        <xsl:variable name="anchor" select="substring(.., 1, 4096)"/>
        <!-- A target is one address or several; what holds a blank is cut too. -->
        <xsl:for-each select="str:tokenize(substring(., 1, 8192))[position() &lt;= 10]">
          <xsl:if test="not(starts-with(., '#'))"><n:outlink url="{.}" element="{$element}"><xsl:value-of select="$anchor"/></n:outlink></xsl:if>
        </xsl:for-each>
      </xsl:for-each>
      <xsl:for-each select="$publication//*[local-name() = 'idno'] | ($source/*[local-name() = 'biblStruct'])[1]//*[local-name() = 'idno']"><n:meta name="tei.idno"><xsl:value-of select="."/></n:meta></xsl:for-each>
      <n:meta name="tei.notes"><xsl:value-of select="count($bodies//*[local-name() = 'note'])"/></n:meta>
      <n:meta name="tei.words"><xsl:value-of select="string-length($words) - string-length(translate($words, ' ', '')) + number(boolean($words))"/></n:meta>
    </n:parse>
  </xsl:template>

  <!-- Parts of a name stand apart, whatever stands between them; of addresses and the like nothing is told. -->
  <xsl:template name="person">
    <xsl:variable name="names" select="*[local-name() = 'persName' or local-name() = 'name' or local-name() = 'orgName']"/>
    <xsl:choose>
      <xsl:when test="$names"><xsl:for-each select="$names[1]//text()"><xsl:copy/><xsl:text> </xsl:text></xsl:for-each></xsl:when>
      <xsl:otherwise><xsl:for-each select=".//text()"><xsl:copy/><xsl:text> </xsl:text></xsl:for-each></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- One template for all: finding the one whose condition holds takes time that grows with the siblings. Of several
       readings of one place the edited one is read. -->
  <xsl:template match="*" mode="lines">
    <xsl:choose>
      <xsl:when test="local-name() = 'choice'"><xsl:apply-templates select="*[local-name() = 'corr' or local-name() = 'reg' or local-name() = 'expan'] | *[not(../*[local-name() = 'corr' or local-name() = 'reg' or local-name() = 'expan'])][1]" mode="lines"/></xsl:when>
      <xsl:when test="local-name() = 'app'"><xsl:choose>
        <xsl:when test="*[local-name() = 'lem']"><xsl:apply-templates select="*[local-name() = 'lem'][1]" mode="lines"/></xsl:when>
        <xsl:otherwise><xsl:apply-templates select="*[1]" mode="lines"/></xsl:otherwise>
      </xsl:choose></xsl:when>
      <xsl:when test="local-name() = 'subst'"><xsl:apply-templates select="*[not(local-name() = 'del')]" mode="lines"/></xsl:when>
      <xsl:when test="local-name() = 'cell'"><xsl:apply-templates mode="lines"/><xsl:text> </xsl:text></xsl:when>
      <xsl:when test="@break = 'no'"/>
      <xsl:when test="contains(' p head l item ab row note sp speaker stage lb opener closer dateline salute signed byline label figDesc trailer u ', concat(' ', local-name(), ' '))"><xsl:value-of select="$line"/><xsl:apply-templates mode="lines"/><xsl:value-of select="$line"/></xsl:when>
      <xsl:otherwise><xsl:apply-templates mode="lines"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
