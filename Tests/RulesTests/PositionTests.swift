import Testing

@testable import Rules

@Suite struct PositionTests {
    /// Strings as JSON, a byte of their values, and the byte of the JSON text that it is read from.
    static let strings: [(json: String, byte: Int, offset: Int)] = [
        (#""abc""#, 0, 1), (#""abc""#, 2, 3), (#""abc""#, 3, 4),
        (#""\"b""#, 1, 3), (#""\\\n""#, 1, 3), (#""\u0041b""#, 1, 7), (#""\u00e9b""#, 2, 7), (#""\u20acb""#, 3, 7),
        (#""\ud83d\ude00b""#, 4, 13), ("\"éb\"", 2, 3),
    ]

    @Test("a byte of a string is found in the document, through escapes", arguments: strings)
    func offsets(json: String, byte: Int, offset: Int) throws {
        let source = try RulesText(Array(json.utf8))
        #expect(source.stringOffsets == [0])
        #expect(source.offset(ofByte: byte, inStringAt: 0) == offset)
    }

    @Test("positions are lines and characters from 1, in any order")
    func positions() throws {
        var source = try RulesText(Array("ab\né€😀x\n\ny".utf8))
        for (offset, line, column) in [(0, 1, 1), (2, 1, 3), (3, 2, 1), (12, 2, 4), (14, 3, 1), (1, 1, 2), (99, 4, 2)] {
            let position = source.position(of: offset)
            #expect(position == (line, column), "byte \(offset)")
        }
    }
}
