extension Third {
    var three: Int { 3 }
    var four: Int { 4 }
}
