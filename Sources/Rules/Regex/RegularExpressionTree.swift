/// A parsed regular expression.
indirect enum RegularExpressionTree {
    case characters(CharacterRanges)
    case start
    case end
    case sequence([RegularExpressionTree])
    case alternatives([RegularExpressionTree])
    /// `maximum` is nil for any number of times.
    case repeated(RegularExpressionTree, minimum: Int, maximum: Int?)
}
