import Foundation
import Testing
import TintypeModel

@Suite("Odd and hostile documents")
struct OddDocumentTests {
    /// A post with additional fields, as a client of the database may have written it.
    private func post(_ fields: String) throws -> Post {
        try read(#"{"post_id":"p","author":{"uid":"ann"},"timestamp":1000\#(fields.isEmpty ? "" : ",")\#(fields)}"#)
    }

    @Test("A post needs its id, its author's id and its time, and nothing else")
    func least() throws {
        let least = try post("")
        #expect(least == Post(id: "p", author: Author(id: "ann"), timestamp: Date(milliseconds: 1000)))
        #expect(least.kind == .text && least.author.displayName == "ann")
    }

    @Test(
        "A post whose certain fields are missing or odd is an error that names the place",
        arguments: [
            (#"{"author":{"uid":"a"},"timestamp":1}"#, "post_id"),
            (#"{"post_id":"","author":{"uid":"a"},"timestamp":1}"#, "post_id"),
            (#"{"post_id":7,"author":{"uid":"a"},"timestamp":1}"#, "post_id"),
            (#"{"post_id":"p","timestamp":1}"#, "author"), (#"{"post_id":"p","author":"a","timestamp":1}"#, "author"),
            (#"{"post_id":"p","author":{},"timestamp":1}"#, "author.uid"),
            (#"{"post_id":"p","author":{"uid":null},"timestamp":1}"#, "author.uid"),
            (#"{"post_id":"p","author":{"uid":"a"}}"#, "timestamp"),
            (#"{"post_id":"p","author":{"uid":"a"},"timestamp":"1"}"#, "timestamp"),
            (#"{"post_id":"p","author":{"uid":"a"},"timestamp":"NaN"}"#, "timestamp"),
            (#"{"post_id":"p","author":{"uid":"a"},"timestamp":1e300}"#, "timestamp"),
            (#"{"post_id":"p","author":{"uid":"a"},"timestamp":-8.65e15}"#, "timestamp"), ("[]", ""), ("7", ""),
            ("null", ""),
        ])
    func refused(json: String, place: String) throws {
        #expect(throws: DecodingError.self) { try read(Post.self, json) }
        let page = try read(Page<Post>.self, #"{"posts":[\#(json == "null" ? "0" : json)]}"#)
        #expect(page.elements.isEmpty && page.faults.count == 1 && page.faults.first?.index == 0)
        #expect(page.faults.first?.path == (place.isEmpty ? "posts[0]" : "posts[0].\(place)"))
    }

    @Test(
        "An optional field of another type is left out, and noted",
        arguments: [
            #""text":7"#, #""kind":{}"#, #""photos":7"#, #""photos":"x""#, #""mentions":true"#, #""counts":[]"#,
            #""counts":{"likes":"many"}"#, #""liked":"yes""#, #""position":1042"#, #""edited":"now""#,
            #""updated":1e300"#, #""published":1.5"#, #""published":1e30"#, #""client_ref":[]"#, #""full_url":{}"#,
            #""audiences":"all""#, #""comments":{"x":{}}"#,
        ])
    func oddFields(field: String) throws {
        let post = try post(field)
        let name = field.split(separator: "\"")[0]
        if field != #""counts":{"likes":"many"}"# {
            #expect(post.faults.count == 1 && post.faults.first?.path.hasPrefix(name) == true, "\(post.faults)")
        }
        #expect(post.text == nil && post.photos.isEmpty && post.comments.isEmpty && post.audiences.isEmpty)
        #expect(post.additionalFields.isEmpty)
    }

    @Test("null is the same as a missing field")
    func nulls() throws {
        let names = ["text", "kind", "photos", "mentions", "counts", "liked", "comments", "audiences", "edited"]
        #expect(try post(names.map { #""\#($0)":null"# }.joined(separator: ",")) == post(""))
    }

    @Test(
        "Numbers may have a fraction of zero, an exponent, or more than 32 bits",
        arguments: [("1795251415385", 1_795_251_415_385), ("1795251415385.0", 1_795_251_415_385), ("1e3", 1000)])
    func numbers(text: String, milliseconds: Int64) throws {
        let post: Post = try read(
            #"{"post_id":"p","author":{"uid":"a"},"timestamp":\#(text),"published":9007199254740993.0}"#)
        #expect(post.timestamp == Date(milliseconds: milliseconds) && post.publicationNumber == 9_007_199_254_740_993)
        let photo: Photo = try read(#"{"width":2688.0,"height":1520.4}"#)
        #expect(photo.width == 2688 && photo.height == 1520 && photo.faults.isEmpty)
    }

    @Test(
        "A photo without a size that a picture can have is an error",
        arguments: [
            "{}", #"{"width":0,"height":1}"#, #"{"width":1,"height":-1}"#, #"{"width":1,"height":1e10}"#,
            #"{"width":"1","height":1}"#,
        ])
    func photoSizes(json: String) {
        #expect(throws: DecodingError.self) { try read(Photo.self, json) }
    }

    @Test("A photo may have no renditions, and loses only those that cannot be read")
    func renditions() throws {
        #expect(try read(Photo.self, #"{"width":1,"height":1}"#).rendition(forWidth: 100) == nil)
        let photo: Photo = try read(
            #"{"width":1,"height":1,"renditions":{"a":{"url":"/a","width":9,"height":9},"b":{"url":7},"c":[]}}"#)
        #expect(photo.renditions.keys.sorted() == ["a"])
        #expect(Set(photo.faults.map(\.path)) == ["renditions.b.url", "renditions.c"])
        let post = try post(#""photos":[{"width":1,"height":1,"renditions":7}]"#)
        #expect(post.photos.count == 1 && post.photos.first?.faults.map(\.path) == ["photos[0].renditions"])
    }

    @Test("Unknown kinds and unknown fields survive reading and writing")
    func unknown() throws {
        let post = try post(#""kind":"poll","choices":{"a":[1,2.5,null,true]},"sanitized":true"#)
        #expect(post.kind == .other("poll") && post.kind.rawValue == "poll")
        #expect(post.additionalFields == ["choices": ["a": [1, 2.5, nil, true]], "sanitized": true])
        #expect(try again(post) == post)
        let photo: Photo = try read(#"{"width":1,"height":1,"place":{"lat":1}}"#)
        #expect(try again(photo).additionalFields == ["place": ["lat": 1]])
    }

    @Test("The writer's own fields replace additional ones of the same name")
    func ownFields() throws {
        var post = try post("")
        post.additionalFields = ["post_id": "other", "text": 7]
        post.text = "own"
        let read = try again(post)
        #expect(read.id == "p" && read.text == "own" && read.additionalFields.isEmpty)
    }

    @Test("A list may be an object whose keys are the positions, and may have gaps")
    func objectsAsLists() throws {
        let photos = (0..<12).map { #""\#($0)":{"width":\#($0 + 1),"height":1}"# }.shuffled().joined(separator: ",")
        #expect(try post(#""photos":{\#(photos)}"#).photos.map(\.width) == Array(1...12))
        let gaps = try post(#""photos":[null,{"width":5,"height":1},null]"#)
        #expect(gaps.photos.map(\.width) == [5] && gaps.faults.isEmpty)
        #expect(try post(#""audiences":{"b":true,"a":true,"c":false}"#).audiences == ["a", "b"])
        #expect(try post(#""audiences":["b","a"]"#).audiences == ["b", "a"])
    }

    @Test(
        "Text that is not JSON is an error, and so is JSON that is nested too deep",
        arguments: [
            "", "{", "nul", #"{"posts":[NaN]}"#, #"{"posts":[+1]}"#,
            String(repeating: "[", count: 100_000), #"{"posts":\#(String(repeating: "[", count: 10_000))"#,
        ])
    func noJSON(text: String) {
        #expect(throws: (any Error).self) { try read(Page<Post>.self, text) }
        #expect(throws: (any Error).self) { try read(SyncChanges.self, text) }
        #expect(throws: (any Error).self) { try read(JSONValue.self, text) }
    }

    @Test(
        "A value that Swift cannot represent makes one post unreadable, or is left out",
        arguments: [#""\ud800""#, "1e400", "-1e400", "1e-400", #""NaN""#, #""Infinity""#])
    func unrepresentable(value: String) throws {
        let page: Page<Post> = try read(
            """
            {"posts":[{"post_id":"p","author":{"uid":"a"},"timestamp":\(value)},
                      {"post_id":"q","author":{"uid":"a"},"timestamp":1,"edited":\(value)},
                      {"post_id":"r","author":{"uid":"a"},"timestamp":1,"x":[1]}]}
            """)
        #expect(page.elements.map(\.id) == ["q", "r"] && page.elements.first?.editedAt == nil)
        #expect(page.elements.first?.faults.map(\.path) == ["posts[1].edited"])
        #expect(page.faults.map(\.path) == ["posts[0].timestamp"] && page.faults.map(\.id) == ["p"])
    }

    @Test("An unknown field that is nested too deep makes one post unreadable, not the page")
    func deepField() throws {
        let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        let good = #"{"post_id":"p","author":{"uid":"a"},"timestamp":1}"#
        let page: Page<Post> = try read(
            #"{"posts":[{"post_id":"q","author":{"uid":"a"},"timestamp":1,"x":\#(deep)},\#(good)]}"#)
        #expect(page.elements.map(\.id) == ["p"] && page.faults.map(\.id) == ["q"])
    }

    @Test("A name that occurs twice has one of its values")
    func duplicateKeys() throws {
        let post = try post(#""text":"a","text":"b""#)
        #expect(["a", "b"].contains(post.text ?? ""))
    }

    @Test("A date that no calendar can show cannot be written")
    func dates() throws {
        var post = try post("")
        for seconds in [Double.infinity, .nan, 1e300, -1e300] {
            post.timestamp = Date(timeIntervalSince1970: seconds)
            #expect(throws: EncodingError.self) { try JSONEncoder().encode(post) }
        }
    }
}
