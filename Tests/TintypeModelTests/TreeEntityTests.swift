import Foundation
import Testing
import TintypeModel

@Suite("An app's own entities in the tree")
struct TreeEntityTests {
    struct Event: TreeEntity, Equatable {
        var id: EntityID<Event>
        var title: String
        var begins: Date?
        var places: Int?
    }

    /// A type with an id of another kind and under another name.
    struct Room: TreeEntity, Equatable {
        static let idName = "_key"
        var id: String
        var id2: Int

        private enum CodingKeys: String, CodingKey {
            case id = "_key"
            case id2 = "id"
        }
    }

    @Test("The id is the key of the node, and times are milliseconds")
    func node() throws {
        let node: JSONValue = ["title": "Dinner", "begins": 1_795_251_415_385, "places": 20.0]
        let event = try Event(node: node, key: "-P6x")
        let begins = Date(milliseconds: 1_795_251_415_385)
        #expect(event == Event(id: "-P6x", title: "Dinner", begins: begins, places: 20))
        let written = try event.node()
        #expect(written.key == "-P6x")
        #expect(written.value == ["title": "Dinner", "begins": 1_795_251_415_385, "places": 20])
    }

    @Test("A type chooses the name of its id, so that the node may have a field id")
    func names() throws {
        let room = try Room(node: ["id": 7], key: "blue")
        #expect(room == Room(id: "blue", id2: 7))
        #expect(try room.node().value == ["id": 7])
    }

    @Test("The key replaces a field of the id's name, which is not written")
    func storedID() throws {
        let event = try Event(node: ["id": "other", "title": "x"], key: "k")
        #expect(event.id == "k")
        #expect(try event.node(replacing: ["id": "other", "title": "x"]).value == ["title": "x"])
    }

    @Test("A write of the whole node keeps the fields that the type does not know, and no others")
    func unknownFields() throws {
        let previous: JSONValue = ["title": "Dinner", "places": 20, "map": ["lat": 1.5], "tags": ["a"]]
        var event = try Event(node: previous, key: "k")
        (event.title, event.places) = ("Supper", nil)
        #expect(
            try event.node(replacing: previous).value == ["title": "Supper", "map": ["lat": 1.5], "tags": ["a"]])
        for other in [nil, .null, 7, ["title": 7, "map": 1]] as [JSONValue?] {
            #expect(try event.node(replacing: other).value == ["title": "Supper"])
        }
    }

    @Test("An entity whose id is not a text cannot be written")
    func badID() {
        struct Numbered: TreeEntity {
            var id: Int
        }
        #expect(throws: EncodingError.self) { try Numbered(id: 7).node() }
        #expect(throws: EncodingError.self) { try Event(id: "", title: "x").node() }
    }

    @Test("The children of a node are entities in the order of their keys; a bad one is one fault")
    func children() throws {
        let children: TreeChildren<Event> = try read(
            #"{"b":{"title":"B"},"10":{"title":"10"},"9":{"title":"9"},"a":{"title":7},"c":true,"-x":{"title":"-"}}"#)
        #expect(children.elements.map(\.id.rawValue) == ["9", "10", "-x", "b"])
        #expect(children.faults.map(\.id) == ["a", "c"] && children.faults.map(\.path) == ["a.title", "c"])
        #expect(children.faults.map(\.index) == [nil, nil])
    }

    @Test("The children may be a list with gaps, in the form of Firebase")
    func list() throws {
        let children: TreeChildren<Event> = try read(#"[null,{"title":"1"},{},{"title":"3"}]"#)
        #expect(children.elements.map(\.id.rawValue) == ["1", "3"])
        #expect(children.faults.map(\.index) == [2] && children.faults.map(\.path) == ["2.title"])
    }

    @Test("A node without children has no entities; a value that is not a node with children is a fault")
    func nothing() throws {
        #expect(try read(TreeChildren<Event>.self, "null") == TreeChildren(node: [:]))
        #expect(TreeChildren<Event>(node: .null).elements.isEmpty)
        let text: TreeChildren<Event> = try read(#""x""#)
        #expect(text.elements.isEmpty && text.faults.count == 1)
    }

    @Test("The service's own entities can be read from the tree, too")
    func ownEntities() throws {
        let posts: TreeChildren<Post> = try read(
            #"{"-P6x":{"author":{"uid":"ann"},"timestamp":1000,"photos":{"0":{"width":1,"height":1}}},"x":{}}"#)
        #expect(posts.elements.map(\.id) == ["-P6x"] && posts.elements.first?.photos.count == 1)
        #expect(posts.faults.map(\.path) == ["x.author"])
        #expect(try Person(node: ["full_name": "Ann"], key: "ann") == Person(id: "ann", name: "Ann"))
    }
}
