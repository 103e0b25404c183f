import API
import Model
import Tree

extension RepairStage {
    /// All stages; lists come before their counts.
    package static let all =
        (SocialDerivations.links.map(completing) + hiddenLinks.map(removing)).map { $0.finding(.linkHalf) }
        + [
            again(SearchKeys()), again(NameIndex()), removingNames, again(CommentIndex()), again(PostEntries()),
            again(HashtagIndex()), removingHashtags.finding(.entryDangling), again(UnreadIndex()), removingRead,
            again(DeviceTokens()),
        ] + audiences
        + (SocialDerivations.counters + [SocialDerivations.notificationCounter]).flatMap {
            [counting($0).finding(.counterWrong), removingNumbers($0).finding(.counterWrong)]
        } + (unreadNumbers + postDays).map { $0.finding(.counterWrong) } + flags + LifeTimes.all.map(\.removingTimes)

    private static let postDays = PostDays.all.flatMap { [$0.repairingNumbers, $0.addingNumbers] }

    /// The links that only derivations write.
    private static let hiddenLinks = SocialDerivations.links.filter { $0.other.path.namespace.isReserved }

    /// Returns the stage that adds the missing other sides of existing links.
    private static func completing(_ link: ReverseLink) -> RepairStage {
        RepairStage(place: link.place) { node, snapshot throws(TreeError) in
            let other = link.other.path(filledWith: link.place.wildcards(of: node).reversed())
            return try snapshot.exists(other) ? [] : [TreeWrite(path: other, value: true)]
        }
    }

    /// Returns the stage that removes the other sides of deleted links.
    private static func removing(_ link: ReverseLink) -> RepairStage {
        RepairStage(place: link.other) { node, snapshot throws(TreeError) in
            let fact = link.place.path(filledWith: link.other.wildcards(of: node).reversed())
            return try snapshot.exists(fact) ? [] : [TreeWrite(path: node, value: nil)]
        }
    }

    /// Removes rows of the name index for names that no person has.
    private static let removingNames = RepairStage(place: PeopleNodes.name.pattern) {
        row, snapshot throws(TreeError) in
        guard let key = row.keys.last, try !NameIndex.hasCause(key, in: snapshot) else { return [] }
        return [TreeWrite(path: row, value: nil)]
    }

    /// Removes posts from hashtags that their texts do not contain, or contain in another Unicode form.
    private static let removingHashtags = RepairStage(place: PostNodes.tagged.pattern) {
        node, snapshot throws(TreeError) in
        let text = try snapshot.get(PostNodes.post() / node.keys[2] / "text")?.stringValue ?? ""
        return Hashtags.tags(in: text).contains(node.keys[1]) ? [] : [TreeWrite(path: node, value: nil)]
    }

    /// Returns the stage that applies a derivation to existing nodes as if they had just been written.
    private static func again(_ derivation: some Derivation) -> RepairStage {
        let place = derivation.place
        return RepairStage(place: place) { node, snapshot throws(TreeError) in
            guard let value = try snapshot.get(node) else { return [] }
            let changed = ChangedNode(
                keys: place.wildcards(of: node), before: .nothing, after: value.object == nil ? .leaf(value) : .object,
                number: 0, isPartOfMore: true)
            return try derivation.writes(
                for: changed, at: CommitPoint(token: try snapshot.token, timestamp: .epoch), in: snapshot)
        }
    }

    /// Removes notifications from the lists of unread ones that do not exist or are read.
    private static let removingRead = RepairStage(place: NotificationNodes.unreadID.pattern) {
        node, snapshot throws(TreeError) in
        let keys = NotificationNodes.unreadID.pattern.wildcards(of: node)
        let mark = TreePattern(UnreadIndex.unread).path(filledWith: keys)
        return try snapshot.exists(mark) ? [] : [TreeWrite(path: node, value: nil)]
    }

    /// The stages for audiences and for the posts of audiences.
    private static let audiences = [
        again(AudienceOwners()),
        RepairStage(place: AudienceNodes.owner.pattern) { node, snapshot throws(TreeError) in
            let role = try snapshot.get(AudienceOwners().place.path(filledWith: node.keys.suffix(2).map(\.self)))
            return role == .string(AudienceRole.owner.rawValue) ? [] : [TreeWrite(path: node, value: nil)]
        },
        again(Memberships()),
        RepairStage(place: Memberships.memberships) { node, snapshot throws(TreeError) in
            let member = Memberships().place.path(filledWith: Memberships.memberships.wildcards(of: node).reversed())
            return try snapshot.exists(member) ? [] : [TreeWrite(path: node, value: nil)]
        },
        again(AudiencePostIndex()),
        RepairStage(place: AudienceFeedOrder().place) { node, snapshot throws(TreeError) in
            try AudienceFeedOrder.writes(
                for: node.keys[1], at: AudienceFeedOrder.positionOfRepair(node.keys[1], snapshot), in: snapshot)
        },
        again(RestoredAudienceFeeds()),
    ]

    /// The stages that count unread notifications from their lists, which are correct by then.
    private static let unreadNumbers = [TreePattern(NotificationNodes.unreadID() / "*"), SocialDerivations.unread].map {
        place in
        RepairStage(place: place) { node, snapshot throws(TreeError) in
            let keys = place.wildcards(of: node)
            let count = try snapshot.childCount(of: NotificationNodes.unreadID() / keys[0])
            let number = SocialDerivations.unread.path(filledWith: keys)
            return [TreeWrite(path: number, value: count == 0 ? nil : .integer(Int64(count)))]
        }
    }

    /// Returns the stage that counts the children of each node with children.
    private static func counting(_ counter: NodeCounter) -> RepairStage {
        let parent = counter.place.parent
        return RepairStage(place: parent) { node, snapshot throws(TreeError) in
            let count = try snapshot.childCount(of: node)
            let number = counter.number.path(filledWith: parent.wildcards(of: node))
            return [TreeWrite(path: number, value: count == 0 ? nil : .integer(Int64(count)))]
        }
    }

    /// Returns the stage that removes the counts of nodes without children.
    private static func removingNumbers(_ counter: NodeCounter) -> RepairStage {
        let parent = counter.place.parent
        return RepairStage(place: counter.number) { node, snapshot throws(TreeError) in
            let counted = parent.path(filledWith: counter.number.wildcards(of: node))
            return try snapshot.childCount(of: counted) == 0 ? [TreeWrite(path: node, value: nil)] : []
        }
    }
}
