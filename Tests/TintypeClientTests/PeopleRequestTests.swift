import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel

@Suite("Requests about people, notifications, audiences, invitations and the service", .serialized)
struct PeopleRequestTests {
    @Test("People are found, changed, followed, blocked and deleted")
    func people() async throws {
        try await Phones.run { phones in
            let (ann, bob) = (phones.ann, phones.bob)
            let changed = try await ann.changeProfile(of: "ann", ProfileChange(name: "Ann Lée", bio: "Light."))
            #expect(changed.value.name == "Ann Lée" && changed.value.bio == "Light." && changed.changeNumber != nil)
            #expect(try await ann.changeProfile(of: "ann", ProfileChange(bio: "")).value.bio == nil)
            #expect(try await bob.people(named: "lee").value.elements.map(\.id) == ["ann"])
            let page = try await bob.people(limit: 1)
            #expect(page.value.elements.map(\.id) == ["ann"] && page.value.hasMore)
            #expect(try await bob.people(after: page.value.next).value.elements.map(\.id) == ["bob"])

            for isFollowing in [true, true, false, true] {
                let follow = try await bob.setFollowing(isFollowing, of: "ann", by: "bob")
                #expect(follow.value.isFollowing == isFollowing && follow.changeNumber != nil)
                #expect(follow.value.followerID == "bob" && follow.value.followeeID == "ann")
            }
            #expect(try await bob.following(of: "bob").value.elements.map(\.id) == ["ann"])
            #expect(try await bob.followers(of: "ann").value.elements.map(\.id) == ["bob"])
            #expect(try await bob.person("ann").value.isFollowed == true)
            for isBlocking in [true, true, false] {
                let block = try await ann.setBlocking(isBlocking, of: "bob", by: "ann")
                #expect(block.value.isBlocking == isBlocking && block.changeNumber != nil)
                #expect(try await ann.blocked(by: "ann").value.elements.map(\.id) == (isBlocking ? ["bob"] : []))
            }
            _ = try await ann.setBlocking(true, of: "bob", by: "ann")

            await Refusal.check([
                Refusal(.notFound) { try await ann.person("nobody") },
                Refusal(.notAllowed) { try await bob.changeProfile(of: "ann", ProfileChange(name: "x")) },
                Refusal("bad_text") { try await ann.changeProfile(of: "ann", ProfileChange(name: "")) },
                Refusal(.blocked) { try await bob.setFollowing(true, of: "ann", by: "bob") },
                Refusal("oneself") { try await bob.setFollowing(true, of: "bob", by: "bob") },
                Refusal("oneself") { try await bob.setBlocking(true, of: "bob", by: "bob") },
                Refusal(.notFound) { try await bob.setFollowing(true, of: "nobody", by: "bob") },
                Refusal(.notAllowed) { try await bob.blocked(by: "ann") },
                Refusal(.notAllowed) { try await bob.usage(of: "ann") },
                Refusal(.notAllowed) { try await bob.deletePerson("ann") },
                Refusal(.notFound) { try await bob.deletion(of: "bob") },
            ])
            let usage = try await ann.usage(of: "ann")
            #expect(usage.value.personID == "ann" && usage.value.usedByteCount == 0 && usage.value.total.files == 0)
            #expect(usage.value.sizes["originals"] == usage.value.total)

            #expect(try await bob.deletePerson("bob").value.personID == "bob")
            let receipt = try await bob.deletion(of: "bob").value
            #expect(receipt.beganAt <= receipt.endedAt ?? .distantFuture && receipt.removedCounts["posts"] == 0)
            await Refusal.check([Refusal(.notFound) { try await ann.person("bob") }])
        }
    }

    @Test("A picture is given to a person and removed, and its bytes are read")
    func pictures() async throws {
        try await Phones.run { phones in
            let ann = phones.ann
            let photo = try Data(contentsOf: fixture("size-24x16.jpg"))
            let file = TransportRequest.Body.file(fixture("size-24x16.jpg"), offset: 0, count: Int64(photo.count))
            guard case .changed(let person) = try await ann.setPicture(of: "ann", to: file).value else {
                Issue.record("the picture is not there")
                return
            }
            let address = try #require(person.picture)
            #expect(try await phones.bob.media(at: address).prefix(2) == Data([0xff, 0xd8]))
            let textFile = try Data(contentsOf: fixture("text.jpg"))
            await Refusal.check([
                Refusal("unsupported_format") { try await ann.setPicture(of: "ann", to: .data(textFile)) },
                Refusal(.notAllowed) { try await phones.bob.setPicture(of: "ann", to: file) },
                Refusal(.notAllowed) { try await phones.bob.removePicture(of: "ann") },
                Refusal(.notFound) { Answer(try await ann.media(at: "/media/ann/none/none.jpg")) },
            ])
            await #expect(throws: TransportError.self) { try await ann.media(at: "file:///etc/passwd") }
            #expect(try await ann.removePicture(of: "ann").value.picture == nil)
        }
    }

    @Test("Notifications are listed and marked as read, and admins announce")
    func notifications() async throws {
        try await Phones.run { phones in
            let (ann, bob) = (phones.ann, phones.bob)
            let post = try await ann.post(text: "Hello").id
            _ = try await bob.setLike(true, of: post, by: "bob")
            _ = try await bob.addComment("Oh", to: post)
            _ = try await bob.setFollowing(true, of: "ann", by: "bob")
            let page = try await ann.notifications(of: "ann")
            #expect(page.value.elements.map(\.kind) == [.follow, .comment, .like] && page.value.unreadCount == 3)
            let ids = page.value.elements.map(\.id)
            let second = try await ann.notifications(of: "ann", before: Cursor(ids[0].rawValue), limit: 1)
            #expect(second.value.elements.map(\.id) == [ids[1]])
            #expect(try await ann.notifications(of: "ann", isGrouped: true).value.elements.map(\.id) == ids)
            #expect(try await ann.markAsRead(.some([ids[0]]), of: "ann").value == 2)
            #expect(try await ann.markAsRead(.some([ids[2]], isGrouped: true), of: "ann").value == 1)
            #expect(try await ann.markAsRead(.upTo(ids[1]), of: "ann").value == 0)
            let all = try await ann.markAsRead(.all, of: "ann")
            #expect(all.value == 0 && all.changeNumber != nil)

            let invitation = try await phones.service.command(["invite", "add", "--admin", "--json"])
            let code = try JSONDecoder().decode(JSONValue.self, from: Data(invitation.utf8))["code"]?.string ?? ""
            #expect(try await bob.useInvitation(code).value.isAdmin)
            // The claim is in the next token.
            _ = try await bob.session.signIn(email: "bob@example.org", password: "PasswordOf bob")
            let announced = try await bob.announce("Dinner is at seven", title: "Tonight", idempotencyKey: "a")
            #expect(announced.value.title == "Tonight" && announced.value.author?.id == "bob")
            let again = try await bob.announce("Dinner is at seven", title: "Tonight", idempotencyKey: "a")
            #expect(again.value.id == announced.value.id)
            #expect(try await bob.announce("For you", to: ["ann"]).value.recipientCount == 1)
            #expect(try await ann.announcements(limit: 1).value.elements.map(\.id) == [announced.value.id])
            #expect(try await ann.notifications(of: "ann", limit: 1).value.elements.map(\.text) == ["For you"])
            await Refusal.check([
                Refusal(.notAllowed) { try await bob.notifications(of: "nobody") },
                Refusal(.permissionDenied) { try await phones.stranger.notifications(of: "ann") },
                Refusal("bad_request") {
                    try await ann.markAsRead(.some(Array(repeating: ids[0], count: 201)), of: "ann")
                },
                Refusal("admin_only") { try await ann.announce("x") },
                Refusal(.keyReused) { try await bob.announce("x", idempotencyKey: "a") },
                Refusal("admin_only") { try await ann.withdrawAnnouncement(announced.value.id) },
            ])
            #expect(try await bob.withdrawAnnouncement(announced.value.id).changeNumber != nil)
            #expect(try await ann.announcements().value.elements.isEmpty)
        }
    }

    @Test("Audiences are created, changed and deleted, with their members and posts")
    func audiences() async throws {
        try await Phones.run { phones in
            let (ann, bob) = (phones.ann, phones.bob)
            let created = try await ann.createAudience("7b", name: "7b", kind: .schoolClass)
            #expect(created.value.kind == .schoolClass && created.value.members == ["ann": .owner])
            #expect(created.changeNumber != nil)
            let changed = try await ann.changeAudience(
                "7b", name: "Class 7b", members: ["ann": .owner, "bob": .reader])
            #expect(changed.value.name == "Class 7b" && changed.value.members?["bob"] == .reader)
            let member = try await ann.setRole(.poster, of: "bob", in: "7b")
            #expect(member.value.role == .poster && member.value.audienceID == "7b" && member.value.personID == "bob")
            #expect(try await bob.audiences().value.elements.map(\.role) == [.poster])
            #expect(try await bob.audience("7b").value.members?.count == 2)

            let post = try #require(try await bob.publish(NewPost("For us", audiences: ["7b"])).value.post)
            #expect(try await ann.posts(for: "7b").value.elements.map(\.id) == [post.id])
            #expect(try await ann.stories(of: "ann").value.elements.map(\.id) == [post.id])
            #expect(try await ann.posts().value.elements.isEmpty)
            let stranger = phones.stranger
            await Refusal.check([
                Refusal("audience_post") { try await ann.setLike(true, of: post.id, by: "ann") },
                Refusal(.notAllowed) { try await bob.changeAudience("7b", name: "x") },
                Refusal(.notAllowed) { try await bob.setRole(.owner, of: "bob", in: "7b") },
                Refusal(.wrongState) { try await ann.removeMember("ann", from: "7b") },
                Refusal(.notMember) { try await ann.audience("none") },
                Refusal(.notMember) { try await ann.posts(for: "none") },
                Refusal(.notMember) { try await ann.publish(NewPost("x", audiences: ["none"])) },
                Refusal("bad_audience") { try await ann.publish(NewPost("x", audiences: [" "])) },
                Refusal(.permissionDenied) { try await stranger.audiences() },
                Refusal(.notAllowed) { try await ann.stories(of: "bob") },
            ])
            #expect(try await ann.removePost(post.id, from: "7b").value, "it was for no other audience")
            #expect(try await bob.removeMember("bob", from: "7b").value.role == nil)
            #expect(try await ann.deleteAudience("7b").changeNumber != nil)
            await Refusal.check([
                Refusal(.wrongState) { try await ann.createAudience("7b", name: "x", kind: .group) }
            ])
        }
    }

    @Test("Invitations are examined and used, and the service says what it is")
    func invitations() async throws {
        try await Phones.run { phones in
            _ = try await phones.ann.createAudience("7b", name: "7b", kind: .schoolClass)
            let output = try await phones.service.command(["invite", "add", "--code", "--audience", "7b", "--json"])
            let code = try JSONDecoder().decode(JSONValue.self, from: Data(output.utf8))["code"]?.string ?? ""
            let purpose = try await phones.stranger.invitationPurpose(code).value
            #expect(purpose.audienceID == "7b" && purpose.audienceName == "7b" && purpose.role == .reader)
            #expect(purpose.needsEmail && purpose.admitsNewAccounts && purpose.expiresAt > Date())
            let use = try await phones.bob.useInvitation(code)
            #expect(use.value.isUsed && use.value.audienceID == "7b" && use.value.role == .reader)
            #expect(try await !phones.bob.useInvitation(code).value.isUsed)
            await Refusal.check([
                Refusal("invitation_unknown") { try await phones.stranger.invitationPurpose("AAAA-AAAA") },
                Refusal("invitation_unknown") { try await phones.bob.useInvitation("AAAA-AAAA") },
                Refusal(.permissionDenied) { try await phones.stranger.useInvitation(code) },
            ])
            let site = try await phones.stranger.site()
            #expect(!site.value.name.isEmpty && !site.value.icons.isEmpty && site.etag != nil)
            #expect(try await phones.stranger.version().value.name == "tintype")
            await phones.service.stop()
            let error = await #expect(throws: TransportError.self) { try await phones.ann.version() }
            #expect(error?.isTransient == true)
        }
    }
}
