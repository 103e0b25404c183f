import Testing
import TreeModel

@testable import Access

@Suite("JSON of tokens")
struct TokenJSONTests {
    @Test(
        "JSON is the same after it was parsed and written",
        arguments: [
            "null", "true", "[]", "{}", #"{"a":[1,2.5,"x\n\"é",null,{"b":false}],"c":{}}"#, "-7", "1e+300",
            #""\u0001""#,
        ])
    func json(text: String) throws {
        let value = try #require(JSONValue(text: text.utf8))
        #expect(JSONValue(text: value.text) == value)
    }

    @Test(
        "Malformed JSON is refused", arguments: ["", " ", "{", "[1,]", "{\"a\":1,\"a\":2}", "nul", "\"\\x\"", "1 2"])
    func noJSON(text: String) {
        #expect(JSONValue(text: text.utf8) == nil)
    }
}
