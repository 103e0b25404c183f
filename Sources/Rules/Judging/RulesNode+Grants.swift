extension RulesNode {
    /// Whether a write at a path may be granted, as far as that can be decided without the written value:
    /// whether there is a `.write` on the path to it that can be true.
    ///
    /// - Parameters:
    ///   - isUpdate: Whether nodes below the path are written.
    ///   - isByNobody: Whether the writer is unauthenticated.
    package func mayGrantWrite(at path: [String], isUpdate: Bool, isByNobody: Bool) -> Bool {
        var node = self
        if node.mayGrant(isByNobody) { return true }
        for key in path {
            guard let child = node.child(for: key) else { return false }
            if child.mayGrant(isByNobody) { return true }
            node = child
        }
        return isUpdate && node.mayGrantBelow(isByNobody)
    }

    private func mayGrant(_ isByNobody: Bool) -> Bool {
        guard let write, write.text != "false" else { return false }
        return !isByNobody || write.program.mayHoldForNobody
    }

    private func mayGrantBelow(_ isByNobody: Bool) -> Bool {
        (Array(children.values) + [wildcard].compactMap(\.self)).contains {
            $0.mayGrant(isByNobody) || $0.mayGrantBelow(isByNobody)
        }
    }
}
