import API
import Foundation
import Model
import Testing
import TreeModel

@testable import Rules

/// Each node of the tree is declared in one place, with everything about it, and the other parts agree with that.
@Suite struct NodeTests {
    private static let clientNodes = TreeNode.all.filter { $0.path.namespace == .main }

    @Test("Each declared node is listed")
    func listed() throws {
        var declared: Set<String> = []
        let folder = Self.root.appending(path: "Sources/Model/Nodes")
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let text = try String(contentsOf: file, encoding: .utf8)
            for declaration in text.matches(of: /static let \w+ = TreeNode\(\s*"([^"]+)"(?:, in: \.(\w+))?/) {
                declared.insert("\(declaration.2.map { ".\($0)" } ?? "") \(declaration.1)")
            }
        }
        #expect(declared == Set(TreeNode.all.map { "\($0.path.namespace) \($0.template)" }))
        #expect(declared.count == TreeNode.all.count)
    }

    @Test("Each node has a path of its own, and describes its content", arguments: TreeNode.all)
    func described(node: TreeNode) {
        #expect(TreeNode.all.count { $0.path == node.path } == 1)
        #expect(!node.summary.isEmpty && node.summary.last != ".")
        #expect(TreeNode.node(at: node.path)?.template == node.template)
    }

    @Test("Each record has a type")
    func records() throws {
        var types: Set<Substring> = []
        let folder = Self.root.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            types.formUnion(text.matches(of: /\b(?:struct|class|enum) (\w+)/).map(\.1))
        }
        for node in TreeNode.all {
            guard let record = node.record else { continue }
            #expect(types.contains(Substring(record)), "\(node.template)")
        }
    }

    // MARK: Paths

    @Test("A node creates the paths of its lists, and its own")
    func paths() {
        let (anna, post): (TreeKey, TreeKey) = ("anna", "-P1")
        #expect(ReactionNodes.like() == "likes")
        #expect(ReactionNodes.like(post) == "likes/-P1")
        #expect(ReactionNodes.like(post, anna) == "likes/-P1/anna")
        #expect(AudienceNodes.member(anna) == "audiences/anna/members")
        #expect(ReactionNodes.stats() == "stats/posts")
        #expect(PeopleNodes.ownPost(anna, post) == "people/anna/posts/-P1")
        #expect(UploadNodes.upload(post) == TreePath(["uploads", post], in: .pipeline))
        #expect(StoreNodes.store() == TreePath(["store"], in: .pipeline))
        #expect(StoreNodes.disconnect(anna, post, anna) == TreePath(["disconnects", anna, post, anna], in: .database))
        #expect(TreeNode.node(at: "people/anna/posts/-P1")?.template == "people/{uid}/posts/{post}")
        #expect(TreeNode.node(at: "people/anna/bio")?.template == "people/{uid}")
        #expect(TreeNode.node(at: "nowhere") == nil)
    }

    // MARK: Rules

    private static let rules = Result { try RulesDocument(DefaultRules.database).root }

    /// Returns the rules for the nodes from below the root to a node.
    private static func rules(for node: TreeNode) throws -> [RulesNode] {
        var way: [RulesNode] = []
        var rules: RulesNode? = try Self.rules.get()
        for key in node.path.keys {
            rules = key == "*" ? rules?.wildcard : rules?.children[key]
            guard let rules else { break }
            way.append(rules)
        }
        return way
    }

    @Test("The default rules have each node of clients, and no other node")
    func ruled() throws {
        let roots = Set(try Self.rules.get().children.keys)
        #expect(roots == Set(Self.clientNodes.map(\.root)))
        #expect(try Self.rules.get().wildcard?.validate?.text == "false")
    }

    @Test("The default rules let only the declared writer write a node", arguments: clientNodes)
    func writers(node: TreeNode) throws {
        let way = try Self.rules(for: node)
        let isWritable = way.contains { $0.write != nil }
        // A node that only admins write needs no rule, as they may write everywhere.
        #expect(isWritable == (node.writer == .clients && node.root != PeopleNodes.admin.root))
    }

    @Test("The default rules list the fields of each record, and refuse others", arguments: clientNodes)
    func fields(node: TreeNode) throws {
        let way = try Self.rules(for: node)
        let rules = way.count == node.path.depth && node.writer == .clients ? way.last : nil
        #expect(Set(rules?.children.keys.map(\.string) ?? []) == Set(node.fields))
        #expect(node.fields.isEmpty || rules?.wildcard?.validate != nil)
    }

    @Test("The default rules have an index for each order in which a node is read", arguments: clientNodes)
    func indexes(node: TreeNode) throws {
        let list = try Self.rules(for: node)
        guard list.count >= node.path.depth - 1, let parent = list.dropFirst(node.path.depth - 2).first else {
            #expect(node.indexes.isEmpty)
            return
        }
        let indexes = try node.indexes.map { name -> RulesIndex in
            name == ".value" ? .value : .children([try TreePath(name)])
        }
        #expect(parent.indexes == indexes)
    }

    // MARK: Documents

    @Test("The table of the nodes lists each node")
    func table() throws {
        let page = try String(contentsOf: Self.root.appending(path: "Documentation/Tree.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("|") }.map(String.init)
        let differences = rows.difference(from: TreeNode.table).map { "\($0)" }
        #expect(differences.isEmpty, "Scripts/check-documents --write brings it up to date")
    }

    /// Returns the paths that a page has in backquotes, with `*` for keys in braces or in capitals.
    private static func paths(in page: String) throws -> Set<[String]> {
        let text = try String(contentsOf: root.appending(path: "Documentation/\(page)"), encoding: .utf8)
        let spans = text.matches(of: /`([A-Za-z_]+(?:\/[A-Za-z_{}]+)*)\/?`/).map { span in
            span.1.split(separator: "/").map { key in
                key.first == "{" || key.allSatisfy(\.isUppercase) ? "*" : String(key)
            }
        }
        return Set(spans)
    }

    @Test(
        "Social.md lists each node that clients see",
        arguments: clientNodes.filter { $0.root != PeopleNodes.admin.root })
    func social(node: TreeNode) throws {
        let keys = node.path.keys.map(\.string)
        #expect(try Self.paths(in: "Social.md").contains { $0.starts(with: keys) }, "\(node.template)")
    }

    @Test("The schema of a post has each documented field")
    func document() throws {
        var schemas = Schemas()
        _ = schemas.schema(of: PostDocument.self)
        let post = try #require(schemas.components["Post"])
        guard case .object(let properties)? = post["properties"] else {
            Issue.record("the schema of a post has no fields")
            return
        }
        let told = Set(properties.keys)
        for field in PostField.allCases {
            #expect(told.contains(field.rawValue) == field.isDocumented, "\(field.rawValue)")
        }
        // The service adds these fields; the last four only in lists.
        let added: Set = ["post_id", "created", "updated", "counts", "liked", "comments", "position"]
        #expect(told.subtracting(PostField.allCases.map(\.rawValue)) == added)
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
}

extension TreeNode: CustomTestStringConvertible {
    /// The path, with names for the keys that are data.
    public var testDescription: String { template }
}
