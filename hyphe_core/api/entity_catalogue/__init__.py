"""What listings of web entities are answered from: columns of all entities of a corpus, kept in memory."""
