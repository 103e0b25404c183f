import API
import Foundation
import Testing
import TreeModel

@Suite("Documents as JSON")
struct DocumentTests {
    @Test(
        "A value of the tree is the same after it was written and read",
        arguments: [
            #"{"a":[1,-2.5,true],"b":{"c":"d"}}"#, #"["x",{"y":[false]}]"#, #""\"\\\n\u0001/é🎞️""#, "9007199254740993",
            "1e+300", "0.1", "true", #"{"9":2,"10":1,"a":3}"#, #"["a",null,"c"]"#,
        ])
    func treeValue(json: String) throws {
        let value = try PostDocument(json: Data(json.utf8))
        #expect(String(decoding: value.json(), as: UTF8.self) == json)
        #expect(String(decoding: value.value.json(), as: UTF8.self) == json)
        let other = try JSONDecoder().decode(TreeValue.self, from: JSONEncoder().encode(value.value))
        #expect(other == value.value)
    }

    @Test("Text that is not a value of the tree is refused", arguments: ["null", #"{"a":}"#, ""])
    func noTreeValue(json: String) {
        #expect(throws: (any Error).self) { try PostDocument(json: Data(json.utf8)) }
    }

    @Test("Fields are sorted, or in the order of their declaration; nil fields are left out")
    func order() throws {
        var page = PostPageDocument()
        page.posts = [PostDocument(["b": 1, "a": "x/y"])]
        page.skipped = [.init(path: "posts/x", reason: "it is \"no\" object")]
        let skipped = #"[{"path":"posts/x","reason":"it is \"no\" object"}]"#
        let posts = #"[{"a":"x/y","b":1}]"#
        #expect(text(page) == #"{"has_more":false,"posts":\#(posts),"skipped":\#(skipped)}"#)
        #expect(text(page, isSorted: false) == #"{"posts":\#(posts),"has_more":false,"skipped":\#(skipped)}"#)
        #expect(text(PostPageDocument()) == #"{"has_more":false,"posts":[]}"#)
    }

    @Test("A failure has its code, and not whether it is transient; an unrecognized code is unknown")
    func failure() throws {
        let failure = Failure(.diskFull, "full", hint: "free some", isTransient: true)
        #expect(text(failure) == #"{"code":"disk_full","hint":"free some","message":"full"}"#)
        let read = try Failure(json: Data(#"{"code":"new_code","hint":"","message":"m"}"#.utf8))
        #expect(read == Failure(.unknown, "m"))
    }

    @Test("The fields of two documents are joined in one object")
    func joined() throws {
        let files = UnclaimedDocument(owner: "maria", post: "p", files: 1, bytes: 2)
        let joined = JoinedDocument(files, PathDocument(path: "maria/p"))
        #expect(text(joined) == #"{"bytes":2,"files":1,"owner":"maria","path":"maria/p","post":"p"}"#)
        let read = try JoinedDocument<UnclaimedDocument, PathDocument>(json: Data(joined.json()))
        #expect(text(read) == text(joined))
    }

    @Test("Documents may encode themselves into any containers")
    func containers() throws {
        struct Odd: Document {
            enum Key: String, CodingKey { case list, nested, nothing }

            init() {}

            init(from decoder: any Decoder) throws {}

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encodeNil(forKey: .nothing)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode(1.5)
                try list.encodeNil()
                var inner = list.nestedContainer(keyedBy: Key.self)
                try inner.encode([UInt8(7)], forKey: .list)
                _ = list.nestedUnkeyedContainer()
                #expect(list.count == 4)
                try Failure(.io, "m").encode(to: list.superEncoder())
                var nested = container.nestedContainer(keyedBy: Key.self, forKey: .nested)
                try nested.encode(["b": true, "a": false], forKey: .nested)
                try "s".encode(to: container.superEncoder())
                try "t".encode(to: nested.superEncoder(forKey: .list))
            }
        }
        let failure = #"{"code":"io","hint":"","message":"m"}"#
        let list = #"[1.5,null,{"list":[7]},[],\#(failure)]"#
        #expect(
            text(Odd())
                == #"{"list":\#(list),"nested":{"list":"t","nested":{"a":false,"b":true}},"nothing":null,"super":"s"}"#)
    }

    private func text(_ document: some Document, isSorted: Bool = true) -> String {
        String(decoding: document.json(isSorted: isSorted), as: UTF8.self)
    }
}
