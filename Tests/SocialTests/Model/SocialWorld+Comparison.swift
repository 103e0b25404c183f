import Logging

@testable import Model
@testable import Social
@testable import Tree

/// Comparisons of the tree and the readers' views with the model.
extension SocialWorld {
    /// Returns the tree of clients, without the data that the model has in other forms.
    private func found() async throws -> NaiveTree {
        var found = NaiveTree(root: try await tree.get(.root))
        for path in ["stats", "unread", "notifications", "feed"] { found[path] = nil }
        for uid in found.keys("people") { found["people/\(uid)/_search_index"] = nil }
        for pattern in [
            "posts/*/published", "audience_posts/*/published", "stories/*/*/published", "announcements/*/published",
        ] {
            for keys in found.nodes(pattern) { found[NaiveTree.fill(pattern, keys)] = nil }
        }
        for pattern in ["people/*/following/*", "followers/*/*"] {
            for keys in found.nodes(pattern) { found[NaiveTree.fill(pattern, keys)] = true }
        }
        return found
    }

    /// Applies the permitted results of jobs, and checks that ended jobs have left nothing.
    func observeJobs() async throws {
        let found = try await found()
        for uid in model.jobs.deletedPeople {
            let there = Set(try await rows(of: uid).map(\.subject))
            model.told.drop(uid) { !there.contains($0.subject) }
        }
        model.observe(found)
        let records = try await tree.get(WorkNodes.followUpTask())
        func subjects(_ kind: FollowUpTaskKind) -> Set<String> {
            Set(records?[TreeKey(unchecked: kind.rawValue)]?.object?.keys.map(\.string) ?? [])
        }
        let old = model.jobs
        model.jobs = NaiveSocial.Jobs(
            deletedPosts: subjects(.deletePost), deletedPeople: subjects(.deletePerson), renamed: subjects(.rename),
            deletedAudiences: subjects(.deleteAudience))
        if !model.jobs.deletedPosts.isSubset(of: old.deletedPosts)
            || !model.jobs.deletedPeople.isSubset(of: old.deletedPeople)
            || !model.jobs.renamed.isSubset(of: old.renamed)
            || !model.jobs.deletedAudiences.isSubset(of: old.deletedAudiences)
        {
            complain("there are the jobs \(model.jobs), expected \(old)")
        }
        for left in model.leftovers(after: old) { complain("a job has left \(left)") }
        model.forget(after: old)
    }

    // MARK: At any time

    func compare() async throws {
        model.now = clock.now.milliseconds
        var (expected, found) = (model.main, try await found())
        compareEnding(&expected, &found)
        problems += NaiveTree.differences(expected.root, found.root)
        problems += NaiveTree.differences(model.stats, try await tree.get("stats"), at: "stats")
        try await compareIndexes()
        try await compareSearch()
        try await compareLists()
        try await compareStories()
        try await compareFlags()
        for uid in SocialOperations.people { try await compareNotifications(of: uid) }
        try await compareOutbox()
    }

    /// Compares the lists that clients do not see.
    private func compareIndexes() async throws {
        var (liked, commented) = (NaiveTree(), NaiveTree())
        for keys in model.main.nodes("likes/*/*") { liked["\(keys[1])/\(keys[0])"] = true }
        for keys in model.main.nodes("comments/*/*") {
            guard let uid = model.main.text("comments/\(keys[0])/\(keys[1])/author/uid") else { continue }
            commented["\(uid)/\(keys[0])/\(keys[1])"] = true
        }
        for (name, expected) in [("liked", liked), ("commented", commented)] {
            let found = try await tree.get(TreePath([TreeKey(unchecked: name)], in: .social))
            let isDated = name == "liked"
            problems += NaiveTree.differences(expected.root, isDated ? found?.withLeavesTrue : found, at: name)
        }
        try await compareTimes()
    }

    /// Expects that each entity has times, and nothing else has.
    private func compareTimes() async throws {
        let main = NaiveTree(root: try await tree.get(.root))
        for times in LifeTimes.all where times.place.path.namespace == .main {
            // Only notifications that have changed have times of their own.
            guard times.times.template != TimeNodes.notification.template else { continue }
            var expected = NaiveTree()
            for keys in main.nodes("\(times.place.path)") {
                expected[keys.joined(separator: "/")] = true
            }
            let found = try await tree.get(times.times())
            problems += NaiveTree.differences(expected.root, found?.withLeavesTrue, at: times.times.template)
        }
    }

    private func compareSearch() async throws {
        let people = try await tree.get("people")
        for uid in model.main.keys("people") {
            let index = people?[TreeKey(unchecked: uid)]?["_search_index"]
            problems += NaiveTree.differences(model.searchIndex(of: uid), index, at: "search keys of \(uid)")
        }
        for text in NaiveWords.prefixes {
            guard let prefix = NamePrefix(text) else { continue }
            var (uids, cursor): ([String], PeopleCursor?) = ([], nil)
            repeat {
                let page = try await People(tree).search(prefix, after: cursor, limit: 2)
                uids += page.people.map(\.uid.description)
                cursor = page.next
            } while cursor != nil
            let expected = model.found(by: text)
            if uids != expected { complain("\(text) finds \(uids), expected \(expected)") }
        }
    }

    private func compareLists() async throws {
        expect("all posts", try await walk(.all), model.posts())
        for uid in SocialOperations.people {
            guard let user = UserID(uid) else { continue }
            expect("posts of \(uid)", try await walk(.author(user)), model.posts { $0.author == uid })
            let likes = (try? await Likes(tree).posts(likedBy: user, before: nil, limit: 200))?.items.map(\.id.string)
            let liked = model.main.nodes("likes/*/*").filter { $0[1] == uid && model.isShown($0[0]) }.map { $0[0] }
            expect("the likes of \(uid)", likes ?? [], liked.sorted().reversed())
        }
        for tag in NaiveWords.tags {
            let list = FeedList.hashtag(TreeKey(unchecked: tag))
            let model = model
            expect(
                "posts with #\(tag)", try await walk(list),
                model.posts { NaiveWords.tags(model.main["posts/\($0.id)"]).contains(tag) })
        }
    }

    func expect(_ what: String, _ found: [String], _ expected: [String]) {
        if found != expected { complain("\(what): expected \(expected), found \(found)") }
    }

    private func walk(_ list: FeedList) async throws -> [String] {
        var (ids, cursor): ([String], PostPosition?) = ([], nil)
        repeat {
            let page = try await FeedReader(tree).page(of: list, before: cursor, limit: 7, FeedView(viewer: nil))
            ids += page.ids
            cursor = page.posts.next
        } while cursor != nil
        return ids
    }

    // MARK: Feeds

    /// Reads a feed until it reports that it is complete: then it must be. Until then it must not have false entries.
    func expectFeed(of uid: String, _ bounds: FeedBounds, limit: Int) async throws {
        guard let user = UserID(uid), model.exists("people/\(uid)"), !model.jobs.deletedPeople.contains(uid) else {
            return
        }
        let home = HomeFeed(tree, tasks: worker, bounds)
        let expected = model.feed(of: uid)
        for _ in 0..<60 {
            var (ids, isComplete, cursor): ([String], Bool, PostPosition?) = ([], true, nil)
            repeat {
                let (page, upkeep) = try await home.page(
                    of: user, before: cursor, limit: limit, FeedView(viewer: user))
                if let upkeep { try await home.write(upkeep) }
                if cursor == nil { isComplete = page.isComplete }
                for item in page.items { compare(item, for: uid) }
                ids += page.ids
                cursor = page.posts.next
            } while cursor != nil
            if isComplete { return expect("the feed of \(uid)", ids, expected) }
            expect("the feed of \(uid), until it is complete,", ids, expected.filter(Set(ids).contains))
        }
        complain("the feed of \(uid) is never complete")
    }

    private func compare(_ item: FeedItem, for viewer: String) {
        let id = item.id.string
        let counts = [Int64(model.main.keys("likes/\(id)").count), Int64(model.main.keys("comments/\(id)").count)]
        if [item.counts?.likes, item.counts?.comments] != counts {
            complain("\(id) shows other counts than \(counts)")
        }
        if item.isLiked != model.exists("likes/\(id)/\(viewer)") { complain("\(id) is liked by \(viewer)?") }
        expect("comments of \(id)", item.comments.map(\.id.string), model.firstComments(id, for: viewer))
    }

    /// Runs all jobs, and compares both forms of feeds and their marks; a repair must find nothing.
    func settle() async throws {
        try await perform(.jobs)
        for uid in model.main.keys("people") {
            // The first reading removes the entries that it skips.
            for _ in 0..<2 { try await expectFeed(of: uid, FeedBounds(), limit: 5) }
            try await compareMirror(of: uid)
            try await compareMarks(of: uid)
        }
        for uid in SocialOperations.people { try await compareActors(of: uid) }
        try await perform(.jobs)
        let repair = SocialRepair(
            tree, version: TreePath(["none"], in: Namespace(reserved: "test")), logger: Self.logger)
        let faults = Set(try await repair.faults().map(\.description))
        let expected = model.missingEntries
        if faults != expected { complain("a repair finds \(faults.sorted()), expected \(expected.sorted())") }
        try await compare()
    }

    /// Compares the entries that clients see.
    private func compareMirror(of uid: String) async throws {
        let mirror = Set(try await tree.get(try TreePath("feed/\(uid)"))?.object?.keys.map(\.string) ?? [])
        let expected = model.order.filter { post in
            guard model.isShown(post.id), let author = post.author else { return false }
            return author == uid || model.follows(uid, author)
        }.map(\.id)
        // Posts that cannot be shown are skipped, and not removed: they may become visible.
        let others = mirror.filter { model.exists("posts/\($0)") && !model.isShown($0) }
        expect("feed/\(uid)", mirror.subtracting(others).sorted(), expected.sorted())
    }

    private func compareMarks(of uid: String) async throws {
        for followee in model.main.keys("people/\(uid)/following") where followee != uid {
            guard !model.overwritten.contains([uid, followee]) else { continue }
            let mark = try await tree.get(try TreePath("people/\(uid)/following/\(followee)"))
            let other = try await tree.get(try TreePath("followers/\(followee)/\(uid)"))
            let posts = model.order.filter { $0.author == followee }.map(\.id)
            if mark != other {
                complain("\(uid) follows \(followee) with the marks \(mark ?? false), \(other ?? false)")
            }
            // A mark stays when its post is deleted.
            let isRight = mark?.stringValue.map { $0 == posts.last || !posts.contains($0) } ?? posts.isEmpty
            if !isRight { complain("the mark of \(uid) at \(followee) is \(mark ?? false), the posts are \(posts)") }
        }
    }

    // MARK: Derivation of all data

    /// Compares counters, other sides of links, search keys and lists with those that are derived from the facts alone.
    func rebuild() async throws {
        try await perform(.repair)
        var facts = NaiveTree(root: try await tree.get(.root))
        for path in ["stats", "unread", "followers", "blocked", "hashtags", "memberships", "stories"] {
            facts[path] = nil
        }
        for keys in facts.nodes("people/*") {
            for field in ["posts", "_search_index"] { facts["people/\(keys[0])/\(field)"] = nil }
        }
        let engine = MemoryEngine()
        let writer = try await TreeStore(engine: engine, isMaintained: false)
        try await writer.set(.root, to: facts.root)
        let other = try await TreeStore(engine: engine, derivations: SocialDerivations.strata, isMaintained: false)
        try await SocialRepair(other, version: TreePath(["made"], in: Namespace(reserved: "test")), logger: Self.logger)
            .run()
        var expected = NaiveTree(root: try await tree.get(.root))
        // Readings create marks.
        for keys in expected.nodes("followers/*/*") { expected["followers/\(keys[0])/\(keys[1])"] = true }
        problems += NaiveTree.differences(expected.root, try await other.get(.root), at: "from scratch: ")
        for name in ["liked", "commented", "names", "unread", "notification_counts", "audience_posts"] as [TreeKey] {
            let path = TreePath([name], in: .social)
            // Repaired likes have no times.
            let (kept, made) = (try await tree.get(path), try await other.get(path))
            problems += NaiveTree.differences(
                name == "liked" ? kept?.withLeavesTrue : kept, made, at: "from scratch: \(name)")
        }
        await other.close()
    }
}

extension TreeValue {
    /// The value with `true` in place of each leaf.
    fileprivate var withLeavesTrue: TreeValue {
        object.map { .object($0.mapValues(\.withLeavesTrue)) } ?? true
    }
}
