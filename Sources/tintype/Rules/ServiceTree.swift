import API
import Access
import Foundation
import HTTPTypes
import Rules
import TreeModel

/// A tree of the running service, of which only what rules ask for is read.
///
/// Rules cannot wait for an answer. Where they ask for a node that has not been read, judging ends; the node is read, and
/// they are judged again from the beginning. Between two reads the tree may change.
final class ServiceTree: RulesTree {
    /// The most requests for one action: each lets the rules be judged once more.
    private static let maxRequests = 1000

    /// What can be asked for.
    private enum Question: Hashable {
        case node(TreePath)
        case priority(TreePath)
    }

    /// What stands at a node, and the keys of its children.
    private struct Node {
        var value: RulesScalar
        var keys: Set<TreeKey> = []
    }

    private let service: APIClient
    private let namespace: String?
    private var nodes: [TreePath: Node] = [:]
    private var priorities: [TreePath: RulesScalar] = [:]
    /// What was asked for and has not been read.
    private var open: Question?

    init(_ service: APIClient, namespace: String?) {
        self.service = service
        self.namespace = namespace
    }

    /// Calls a function until the tree has all that it asks for.
    ///
    /// - Throws: What the function throws, and `Failure` when the service cannot be asked, or too much would have to be.
    func reading<R>(_ body: (ServiceTree) throws(TreeError) -> R) async throws -> R {
        for _ in 0..<Self.maxRequests {
            do throws(TreeError) {
                return try body(self)
            } catch {
                guard let question = open else { throw error }
                open = nil
                try await ask(question)
            }
        }
        throw Failure(
            .tooLarge, "the rules look at more than \(Self.maxRequests) nodes", hint: "use a file: --data tree.json")
    }

    private func ask(_ question: Question) async throws {
        switch question {
        case .node(let path): nodes[path] = try Self.node(try await answer(path, "shallow"))
        case .priority(let path): priorities[path] = try Self.node(try await answer(path, nil)).value
        }
    }

    /// The answer about a path; without a parameter, about its priority.
    private func answer(_ path: TreePath, _ parameter: String?) async throws -> JSONValue {
        let reference = try DatabaseReference("\(path)", namespace: namespace)
        let address = parameter == nil ? reference.priorityAddress : reference.address
        let query = reference.query(parameter.map { [$0: "true"] } ?? [:])
        let text = try await service.send(.get, address, query: query)
        guard let json = JSONValue(text: text) else {
            throw Failure(.invalidJSON, "the service's answer about \(path) is no JSON")
        }
        return json
    }

    private static func node(_ json: JSONValue) throws(TreeError) -> Node {
        switch json {
        case .null: return Node(value: .null)
        case .bool(let bool): return Node(value: .bool(bool))
        case .integer(let integer): return Node(value: .number(Double(integer)))
        case .double(let double): return Node(value: .number(double))
        case .string(let string): return Node(value: .string(string))
        case .list: throw TreeError(.invalidJSON, "the service's answer is a list")
        case .object(let object):
            var node = Node(value: .object)
            for name in object.keys { node.keys.insert(try TreeKey(name)) }
            return node
        }
    }

    // MARK: Nodes

    private func node(at path: TreePath) throws(TreeError) -> Node {
        if let node = nodes[path] { return node }
        guard path.depth <= TreePath.maxDepth else { return Node(value: .null) }
        // What is not there has nothing below it.
        var below = path
        while let parent = below.parent, let key = below.lastKey {
            if let node = nodes[parent], !node.keys.contains(key) { return Node(value: .null) }
            below = parent
        }
        throw missing(.node(path))
    }

    private func missing(_ question: Question) -> TreeError {
        open = question
        return TreeError(.engine, "a node has not been read yet")
    }

    func value(at path: TreePath) throws(TreeError) -> RulesScalar { try node(at: path).value }

    func priority(at path: TreePath) throws(TreeError) -> RulesScalar {
        guard let priority = priorities[path] else { throw missing(.priority(path)) }
        return priority
    }

    func childKeys(at path: TreePath) throws(TreeError) -> [TreeKey] { Array(try node(at: path).keys) }
}
