import API
import TestSupport

@testable import Model
@testable import Social
@testable import Tree

/// Operations on audiences by routes, their expected permissions in the model, and the visible results.
extension SocialWorld {
    func ask(_ operation: AudienceOperation) async throws {
        switch operation {
        case .publish(let post, let author, let audiences, let text):
            try await publish(operation, post, author, audiences, text)
        case .put(let audience, let members, let actor), .change(let audience, let members, let actor):
            try await change(operation, audience, members, actor)
        case .setMember(let uid, let audience, let role, let actor):
            try await setMember(operation, uid, audience, role, actor)
        case .removeMember(let uid, let audience, let actor):
            var code = actor == uid ? nil : refusal(actor, audience)
            if code == nil, isLastOwner(uid, of: audience) { code = .wrongState }
            let (id, user, maker) = (try id(audience), try user(uid), try self.actor(actor))
            let isDone = try await attempt("\(operation)", code) {
                _ = try await Audiences(tree).removeMember(user, of: id, by: maker)
            }
            guard isDone, model.role(of: uid, in: audience) != nil else { return }
            model.apply([NaiveWrite("audiences/\(audience)/members/\(uid)", nil)])
        case .remove(let audience, let actor):
            let (id, maker) = (try id(audience), try self.actor(actor))
            let isDone = try await attempt("\(operation)", refusal(actor, audience)) {
                _ = try await Audiences(tree).remove(id, by: maker)
            }
            guard isDone else { return }
            model.apply([NaiveWrite("audiences/\(audience)", nil)])
        case .removePost(let post, let audience, let actor): try await removePost(operation, post, audience, actor)
        }
    }

    // MARK: Permissions

    private func id(_ audience: String) throws -> AudienceID {
        guard let id = AudienceID(audience) else { throw TreeError.closed }
        return id
    }

    private func actor(_ uid: String?) throws -> AudienceActor { try uid.map { .user(try user($0)) } ?? .admin }

    /// Returns the reason why an actor may not change an audience; nil if it may.
    private func refusal(_ actor: String?, _ audience: String) -> ErrorCode? {
        guard let actor else { return model.exists("audiences/\(audience)") ? nil : .notFound }
        return switch model.role(of: actor, in: audience) {
        case "owner": nil
        case nil: .notMember
        default: .notAllowed
        }
    }

    private func isLastOwner(_ uid: String, of audience: String) -> Bool {
        model.role(of: uid, in: audience) == "owner"
            && !SocialOperations.people.contains { $0 != uid && model.role(of: $0, in: audience) == "owner" }
    }

    /// Whether a person would be made a member by a person whom they have blocked.
    private func isClosed(_ uid: String, to actor: String?, in audience: String) -> Bool {
        guard let actor, actor != uid, model.role(of: uid, in: audience) == nil else { return false }
        return model.exists("blocking/\(uid)/\(actor)")
    }

    // MARK: Changes

    private func publish(
        _ operation: AudienceOperation, _ post: String, _ author: String, _ audiences: [String], _ text: String
    ) async throws {
        guard let id = PostID(post), let uid = UserID(author), !model.exists("audience_posts/\(post)") else { return }
        var code = refusal(author, isContent: true)
        for audience in audiences where code == nil {
            switch model.role(of: author, in: audience) {
            case "owner", "poster": break
            case nil: code = .notMember
            default: code = .notAllowed
            }
        }
        let ids = try audiences.map { try self.id($0) }
        let person = person(uid)
        let isDone = try await attempt("\(operation)", code) {
            _ = try await tree.transact { snapshot, update in
                try snapshot.requireConsent(of: uid, toContent: true)
                try snapshot.requirePoster(uid, for: ids)
                try Post(
                    id: id, author: person, text: text, timestamp: 9, photos: [], clientReference: nil, audiences: ids
                ).write(to: &update)
            }
        }
        guard isDone else { return }
        var record: [TreeKey: TreeValue] = ["kind": "text", "timestamp": 9, "author": person.author]
        if !text.isEmpty { record["text"] = .string(text) }
        record["audiences"] = .object(
            Dictionary(uniqueKeysWithValues: audiences.map { (TreeKey(unchecked: $0), true) }))
        model.apply([NaiveWrite("audience_posts/\(post)", .object(record))])
    }

    private func change(
        _ operation: AudienceOperation, _ audience: String, _ members: [String: String]?, _ actor: String?
    ) async throws {
        var (change, members, isPut) = (Audiences.Change(), members, false)
        (change.name, change.kind) = ("9c", .school)
        change.members = try members.map(Self.roles)
        if case .put = operation { isPut = true }
        let isNew = !model.exists("audiences/\(audience)")
        var code: ErrorCode?
        if isPut, isNew {
            if let actor { members = (members ?? [:]).merging([actor: "owner"]) { $1 } }
            members = members ?? [:]
            if model.stories.used.contains(audience) { code = .wrongState }
        } else {
            code = refusal(actor, audience)
        }
        if code == nil, let members {
            if !members.values.contains("owner") {
                code = .wrongState
            } else if members.keys.contains(where: { isClosed($0, to: actor, in: audience) }) {
                code = .blocked
            }
        }
        let (id, maker, asked) = (try id(audience), try self.actor(actor), change)
        let isDone = try await attempt("\(operation)", code) {
            if isPut {
                let found = try await Audiences(tree).put(id, asked, by: maker).isNew ?? false
                if found != isNew { complain("\(operation) is new: \(found)") }
            } else {
                _ = try await Audiences(tree).change(id, asked, by: maker)
            }
        }
        guard isDone else { return }
        let path = "audiences/\(audience)"
        var writes = [NaiveWrite("\(path)/name", "9c"), NaiveWrite("\(path)/kind", "school")]
        if let members {
            let roster = members.map { (TreeKey(unchecked: $0.key), TreeValue.string($0.value)) }
            writes.append(NaiveWrite("\(path)/members", .object(Dictionary(uniqueKeysWithValues: roster))))
        }
        model.apply(writes)
    }

    private static func roles(_ members: [String: String]) throws -> [UserID: AudienceRole] {
        var roles: [UserID: AudienceRole] = [:]
        for (uid, role) in members {
            guard let user = UserID(uid), let role = AudienceRole(rawValue: role) else { throw TreeError.closed }
            roles[user] = role
        }
        return roles
    }

    private func setMember(
        _ operation: AudienceOperation, _ uid: String, _ audience: String, _ role: String, _ actor: String?
    ) async throws {
        guard let newRole = AudienceRole(rawValue: role) else { return }
        var code = refusal(actor, audience)
        let isChange = model.role(of: uid, in: audience) != .string(role)
        if code == nil, isChange {
            if isLastOwner(uid, of: audience) { code = .wrongState }
            if isClosed(uid, to: actor, in: audience) { code = .blocked }
        }
        let (id, user, maker) = (try id(audience), try user(uid), try self.actor(actor))
        let isDone = try await attempt("\(operation)", code) {
            _ = try await Audiences(tree).setMember(user, to: newRole, of: id, by: maker)
        }
        guard isDone, isChange else { return }
        model.apply([NaiveWrite("audiences/\(audience)/members/\(uid)", .string(role))])
    }

    private func removePost(
        _ operation: AudienceOperation, _ post: String, _ audience: String, _ actor: String?
    ) async throws {
        guard let postID = PostID(post) else { return }
        let author = model.main.text("audience_posts/\(post)/author/uid")
        var code = author != nil && author == actor ? nil : refusal(actor, audience)
        if code == nil, !model.audiences(ofPost: post).contains(audience) { code = .notFound }
        let isLast = model.main.keys("audience_posts/\(post)/audiences") == [audience]
        let (id, maker) = (try id(audience), try self.actor(actor))
        let isDone = try await attempt("\(operation)", code) {
            let isDeleted = try await Audiences(tree).removePost(postID, from: id, by: maker).isDeleted
            if isDeleted != isLast { complain("\(operation) deleted it: \(isDeleted)") }
        }
        guard isDone else { return }
        model.apply([NaiveWrite("audience_posts/\(post)/audiences/\(audience)", nil)])
    }

    // MARK: Comparing

    /// Removes values from the comparison that may differ: the story of a deleted audience has some of its copies until
    /// the last post has left it; it has no members.
    func compareEnding(_ expected: inout NaiveTree, _ found: inout NaiveTree) {
        for audience in model.jobs.deletedAudiences {
            for post in found.keys("stories/\(audience)") {
                let path = "stories/\(audience)/\(post)"
                problems += NaiveTree.differences(expected[path], found[path], at: path)
            }
            (expected["stories/\(audience)"], found["stories/\(audience)"]) = (nil, nil)
        }
    }

    func compareStories() async throws {
        for audience in SocialOperations.audiences where !model.jobs.deletedAudiences.contains(audience) {
            for uid in SocialOperations.people.prefix(2) {
                let items = try await items(of: .story(try id(audience)), for: uid)
                expect("the story of \(audience)", items.map(\.id.string), model.story(of: audience, for: uid))
                for item in items where item.record["audiences"] != nil { complain("\(item.id) has its audiences") }
            }
        }
        for uid in SocialOperations.people {
            let items = try await items(of: .stories(try user(uid)), for: uid)
            let expected = model.allStories(for: uid)
            expect("the stories of \(uid)", items.map(\.id.string), expected.map(\.post))
            for (item, post) in zip(items, expected) {
                let named = (item.record["audiences"]?.object ?? [:]).keys.map(\.string).sorted()
                expect("the audiences of \(post.post) for \(uid)", named, post.audiences)
            }
            let page = try await audiences(of: try user(uid))
            expect("the audiences of \(uid)", page.map(\.id.description), model.main.keys("memberships/\(uid)"))
            for audience in page {
                let role = audience.role.map { TreeValue.string($0.rawValue) }
                if role != model.role(of: uid, in: audience.id.description) { complain("\(uid) is \(audience)") }
            }
        }
        expect("all audiences", try await audiences(of: nil).map(\.id.description), model.main.keys("audiences"))
        try await compareHiddenPosts()
    }

    private func items(of list: FeedList, for uid: String) async throws -> [FeedItem] {
        var view = FeedView(viewer: try user(uid))
        (view.showsCounts, view.showsComments, view.showsLikes) = (false, false, false)
        var (items, cursor): ([FeedItem], PostPosition?) = ([], nil)
        repeat {
            let page = try await FeedReader(tree).page(of: list, before: cursor, limit: 3, view)
            items += page.items
            cursor = page.posts.next
        } while cursor != nil
        return items
    }

    private func audiences(of uid: UserID?) async throws -> [Audience] {
        var (audiences, cursor): ([Audience], TreeKey?) = ([], nil)
        repeat {
            let page = try await Audiences(tree).page(of: uid, after: cursor, limit: 1)
            audiences += page.audiences
            cursor = page.next
        } while cursor != nil
        return audiences
    }

    /// Compares the data about posts for audiences that clients do not see.
    private func compareHiddenPosts() async throws {
        var (written, restricted) = (NaiveTree(), NaiveTree())
        for uid in SocialOperations.people {
            for post in model.storyPosts(by: uid) { written["\(uid)/\(post)"] = true }
        }
        for keys in model.stories.restricted { restricted[keys.joined(separator: "/")] = true }
        for (name, expected) in [("audience_posts", written), ("restricted_media", restricted)] {
            let found = try await tree.get(TreePath([TreeKey(unchecked: name)], in: .social))
            problems += NaiveTree.differences(expected.root, found, at: name)
        }
    }
}
