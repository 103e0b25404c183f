package import Model
import Social
package import Tree
import Uploads

/// What the service derives from what is written to the tree, and what no update may break.
package enum TreeInvariants {
    /// The derivations, stratum by stratum: what follows from what is written, and is written with it.
    ///
    /// - Parameter publicBase: The address by which apps know the service; nil for addresses without a host.
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
