import Foundation
import Testing
import TintypeModel

@Suite("Ids, addresses, mentions, renditions and JSON values")
struct ValueTests {
    @Test("An id is a text, a key of an object, and never empty")
    func ids() throws {
        let id: Post.ID = "-P6x"
        #expect("\(id)" == "-P6x" && id < "-P6y" && Post.ID(rawValue: "-P6x") == id)
        #expect(try again([id: 1]) == [id: 1])
        #expect(try read(JSONValue.self, String(decoding: JSONEncoder().encode([id: 1]), as: UTF8.self)) == ["-P6x": 1])
        #expect(throws: DecodingError.self) { try read([Post.ID].self, #"[""]"#) }
        #expect(throws: DecodingError.self) { try read([Post.ID].self, "[7]") }
    }

    @Test(
        "An address is resolved against the service's, and only the service gets the token",
        arguments: [
            ("/media/a/b.jpg", "https://photos.example.org/media/a/b.jpg", true),
            ("https://photos.example.org/x?token=1", "https://photos.example.org/x?token=1", true),
            ("https://PHOTOS.example.org:443/x", "https://PHOTOS.example.org:443/x", true),
            ("http://photos.example.org/x", "http://photos.example.org/x", false),
            ("https://photos.example.org:8443/x", "https://photos.example.org:8443/x", false),
            ("https://photos.example.org.evil.net/x", "https://photos.example.org.evil.net/x", false),
            ("https://photos.example.org@evil.net/x", "https://photos.example.org@evil.net/x", false),
            ("//evil.net/x", "https://evil.net/x", false), ("file:///etc/passwd", nil, false),
            ("javascript:alert(1)", nil, false), ("data:image/png;base64,AA==", nil, false), ("https:///x", nil, false),
        ] as [(String, String?, Bool)])
    func addresses(text: String, url: String?, isServed: Bool) throws {
        let service = try #require(URL(string: "https://photos.example.org/app/"))
        let address = MediaAddress(rawValue: text)
        #expect(address.url(relativeTo: service)?.absoluteString == url)
        #expect(address.isServed(by: service) == isServed)
    }

    @Test("A mention names a part of its text, in UTF-16 units")
    func mentions() throws {
        let text = "👍 @ann and é"
        let range = try #require(text.range(of: "@ann"))
        let mention = Mention(personID: "ann", range: range, in: text)
        #expect(mention.start == 3 && mention.length == 4)
        #expect(mention.range(in: text).map { String(text[$0]) } == "@ann")
        for (start, length) in [(-1, 1), (0, 0), (0, -1), (12, 9), (.max, 1), (1, .max), (1, 1), (0, 1)] {
            #expect(Mention(personID: "ann", start: start, length: length).range(in: text) == nil, "\(start) \(length)")
        }
    }

    @Test(
        "The smallest rendition that is wide enough is chosen, or else the widest",
        arguments: [(1, 1), (2, 2), (3, 4), (9, 4)])
    func renditions(width: Int, chosen: Int) {
        let renditions = [1, 2, 4].map { ("\($0)", Rendition(address: "/\($0)", width: $0, height: $0)) }
        let photo = Photo(width: 40, height: 20, renditions: Dictionary(uniqueKeysWithValues: renditions))
        #expect(photo.rendition(forWidth: width)?.width == chosen && photo.aspectRatio == 2)
    }

    @Test(
        "A JSON value keeps its type and all its digits",
        arguments: [
            ("null", .null), ("true", true), ("0", 0), ("1.0", 1), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775807", .integer(.max)), ("9223372036854775808", .double(9_223_372_036_854_775_808)),
            ("0.1", 0.1), ("\"1\"", "1"), ("[]", .array([])), ("{}", .object([:])),
            (#"[{"a":[]}]"#, .array([["a": .array([])]])),
        ] as [(String, JSONValue)])
    func json(text: String, value: JSONValue) throws {
        #expect(try read(JSONValue.self, text) == value)
        #expect(try again(value) == value)
    }

    @Test("The parts of a JSON value are read by name, position and type")
    func parts() {
        let value: JSONValue = ["a": [1, 2.5, "x", true], "b": 3.0]
        #expect(value["a"]?[0]?.integer == 1 && value["a"]?[1]?.double == 2.5 && value["a"]?[2]?.string == "x")
        #expect(value["a"]?[3]?.bool == true && value["a"]?[4] == nil && value["a"]?[-1] == nil && value["c"] == nil)
        #expect(value["b"]?.integer == 3 && value["b"]?.string == nil && value[0] == nil && value["a"]?["b"] == nil)
        #expect(JSONValue.double(3).integer == 3 && JSONValue.double(1e300).integer == nil)
    }

    @Test(
        "A JSON value of up to 64 levels is read, and a deeper one is an error",
        arguments: [(64, true), (65, false), (500, false), (5000, false)])
    func depth(levels: Int, isRead: Bool) {
        let text = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        #expect(((try? read(JSONValue.self, text)) != nil) == isRead)
        let objects = String(repeating: #"{"a":"#, count: levels - 1) + "{}" + String(repeating: "}", count: levels - 1)
        #expect(((try? read(JSONValue.self, objects)) != nil) == isRead)
    }

    @Test("Values are never equal by accident: 1 and true, a text and a number")
    func types() {
        #expect(JSONValue.bool(true) != 1 && JSONValue.string("1") != 1 && JSONValue.null != false)
    }
}
