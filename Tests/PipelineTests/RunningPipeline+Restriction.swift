import Keeping
import Service
import Store
import TestSupport
import Tree

extension RunningPipeline {
    /// The restriction that moderation puts on a file.
    func restriction(of name: BlobName, isOriginal: Bool = false) async throws -> ModerationRestriction {
        let restrictions = pipeline.restrictions
        return try await storage.tree.snapshot {
            try restrictions.restriction(of: name, isOriginal: isOriginal, in: $0)
        }
    }
}
