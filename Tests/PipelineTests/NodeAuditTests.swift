import Model
import Testing
import Tree

@testable import Keeping
@testable import Service

/// Each stored node is checked by audits, or has a reason why not; and no node is stored that the layout does not have.
@Suite struct NodeAuditTests {
    private static let places = (TreeInvariant.all + TreeInvariant.ofAccounts).map(\.place.path)

    /// Whether a rule checks a node: something above it, within it, or the node itself.
    private static func isAudited(_ node: TreeNode) -> Bool {
        places.contains { place in
            place.namespace == node.path.namespace
                && zip(place.keys, node.path.keys).allSatisfy { $0 == $1 }
                && place.depth >= node.path.keys.count(where: { $0 != "*" })
        }
    }

    @Test("An audit checks each node, or the node has a reason why none does", arguments: TreeNode.all.map(\.template))
    func audited(template: String) throws {
        for node in TreeNode.all where node.template == template {
            #expect(Self.isAudited(node) == (node.unaudited == nil), "\(node.path.namespace)")
        }
    }

    @Test("Each path of an audit is at a node")
    func places() {
        for place in Self.places where TreeNode.node(at: place) == nil {
            // The list of a node, by whose entries it is counted.
            #expect(TreeNode.all.contains { $0.pattern.parent.path == place }, "\(place.namespace) \(place)")
        }
    }

    @Test("Each path of a derivation is at a node")
    func derivations() {
        for derivation in TreeInvariants.derivations(publicBase: nil).flatMap(\.self) {
            #expect(TreeNode.node(at: derivation.place.path) != nil, "\(derivation.place.path)")
        }
    }
}
