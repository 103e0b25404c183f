import API
import Access
import Foundation
import HTTPTypes
import Rules
import TreeModel

/// A tree of the running service, of which only the nodes that rules read are requested.
///
/// Rules cannot wait for a response. When they read a node that has not been requested, evaluation ends; the node is
/// requested, and the rules are evaluated again from the beginning. The tree may change between two requests.
final class ServiceTree: RulesTree {
    /// The largest number of requests for one action. After each, the rules are evaluated again.
    private static let maxRequests = 1000

    /// A request about a node.
    private enum Question: Hashable {
        case node(TreePath)
        case priority(TreePath)
    }

    /// The value of a node, and the keys of its children.
    private struct Node {
        var value: RulesScalar
        var keys: Set<TreeKey> = []
    }

    private let service: APIClient
    private let namespace: String?
    private var nodes: [TreePath: Node] = [:]
    private var priorities: [TreePath: RulesScalar] = [:]
    /// The request that the rules need next; nil when they need none.
    private var open: Question?

    init(_ service: APIClient, namespace: String?) {
        self.service = service
        self.namespace = namespace
    }

    /// Calls a function until the tree has all nodes that the function reads.
    ///
    /// - Throws: The errors of the function; `Failure` when the service cannot be reached, or too many requests would
    ///   be needed.
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
            .tooLarge, "the rules read more than \(Self.maxRequests) nodes", hint: "Use a file, as in --data tree.json."
        )
    }

    private func ask(_ question: Question) async throws {
        switch question {
        case .node(let path): nodes[path] = try Self.node(try await answer(path, "shallow"))
        case .priority(let path): priorities[path] = try Self.node(try await answer(path, nil)).value
        }
    }

    /// Returns the service's response about a path; without a parameter, about its priority.
    private func answer(_ path: TreePath, _ parameter: String?) async throws -> JSONValue {
        let reference = try DatabaseReference("\(path)", namespace: namespace)
        let address = parameter == nil ? reference.priorityAddress : reference.address
        let query = reference.query(parameter.map { [$0: "true"] } ?? [:])
        let text = try await service.send(.get, address, query: query)
        guard let json = JSONValue(text: text) else {
            throw Failure(.invalidJSON, "the service's response about \(path) is not JSON")
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
        case .list: throw TreeError(.invalidJSON, "the service's response is a list")
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
        // A node that does not exist has no children.
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
