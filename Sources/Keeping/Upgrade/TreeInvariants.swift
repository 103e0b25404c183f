package import Model
import Social
package import Tree
import Uploads

/// The derivations and constraints that the service adds to the tree.
package enum TreeInvariants {
    /// The derivations, stratum by stratum.
    ///
    /// - Parameter publicBase: The address of the service for apps; nil for addresses without a host.
    package static func derivations(publicBase: PublicBase?) -> [[any Derivation]] {
        let tombstones = [PostNodes.post(), AudienceNodes.post()].map { Tombstones(of: $0, at: FileNodes.deleted()) }
        var strata = SocialDerivations.strata
        strata[0].insert(contentsOf: WordsWithoutPost.all, at: 0)
        return strata + [
            [FormerLink(), ObjectPosts(publicBase: publicBase)], tombstones + [ReplacedAvatars()], UsageDerivation.all,
        ]
    }

    /// The constraints.
    package static var constraints: [any Constraint] { SocialDerivations.constraints + UsedPostID.all }
}
