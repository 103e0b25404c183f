import Client
import Foundation
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree
import Uploads

@Suite("Editing posts: conditions, keys, people and moderation", .timeLimit(.minutes(20)))
struct PostEditRightTests {
    // MARK: Conditions and keys

    @Test("If-Match permits an edit only of the post that the client knows; without it the last edit wins")
    func conditions() async throws {
        try await PostEdits.withPeople { service in
            let id = try await PostEdits.post("first", service)
            let old = try await PostEdits.etag(id, service)
            PostEdits.expect(try await PostEdits.edit(id, #"{"text":"second"}"#, with: ["if-match": old], service), 200)
            for tag in [old, "\"\"", "\"x\", \(old)", String(old.dropFirst().dropLast()), "x"] {
                let answer = try await PostEdits.edit(id, #"{"text":"third"}"#, with: ["if-match": tag], service)
                PostEdits.expect(answer, 412, "precondition_failed", tag)
            }
            #expect(try await PostEdits.get(id, service).json["text"].string == "second")
            for (number, form) in ["*", "TAG", "\"x\", TAG", "W/TAG"].enumerated() {
                let tag = form.replacing("TAG", with: try await PostEdits.etag(id, service))
                let answer = try await PostEdits.edit(id, #"{"text":"\#(number)"}"#, with: ["if-match": tag], service)
                PostEdits.expect(answer, 200, nil, tag)
            }
            PostEdits.expect(try await PostEdits.edit(id, #"{"text":"last"}"#, service), 200)
            #expect(try await PostEdits.get(id, service).json["text"].string == "last")
            // A like is no change of the post.
            let present = try await PostEdits.etag(id, service)
            #expect(try await service.ask(.put, "/v1/posts/\(id)/likes/anna", as: "anna").status == 200)
            #expect(try await PostEdits.etag(id, service) == present)
        }
    }

    @Test("One of several edits at the same time that know the same post is applied, and the others are refused")
    func race() async throws {
        try await PostEdits.withPeople { service in
            let id = try await PostEdits.photos(service, text: "first")
            let tag = try await PostEdits.etag(id, service)
            let answers = try await withThrowingTaskGroup(of: Answer.self) { tasks in
                for number in 0..<8 {
                    let body = #"{"text":"\#(number)","photos":[{"number":1},{"number":0}]}"#
                    tasks.addTask { try await PostEdits.edit(id, body, with: ["if-match": tag], service) }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            let winners = answers.filter { $0.status == 200 }
            #expect(
                winners.count == 1 && answers.allSatisfy { [200, 412].contains($0.status) }, "\(answers.map(\.text))")
            #expect(try await PostEdits.get(id, service).json["text"] == winners[0].json["text"])
        }
    }

    @Test("The same edit again with its key has no further effect, whatever its condition; another edit needs its own")
    func keys() async throws {
        try await PostEdits.withPeople { service in
            let id = try await PostEdits.post("first", service)
            let fields = ["idempotency-key": "one", "if-match": try await PostEdits.etag(id, service)]
            let first = try await PostEdits.edit(id, #"{"text":"second","client_timestamp":5}"#, with: fields, service)
            PostEdits.expect(first, 200)
            let again = try await PostEdits.edit(id, #"{"client_timestamp":6,"text":"second"}"#, with: fields, service)
            #expect(again.status == 200 && again.json == first.json, "\(again.text)")
            PostEdits.expect(try await PostEdits.edit(id, #"{"text":"third"}"#, service), 200)
            let late = try await PostEdits.edit(id, #"{"text":"second"}"#, with: fields, service)
            #expect(late.status == 200 && late.json["text"].string == "third", "\(late.text)")
            PostEdits.expect(
                try await PostEdits.edit(id, #"{"text":"fourth"}"#, with: fields, service), 422, "key_reused")
            // An edit that changes nothing has been made, too.
            let idle = ["idempotency-key": "two"]
            PostEdits.expect(try await PostEdits.edit(id, #"{"text":"third"}"#, with: idle, service), 200)
            PostEdits.expect(try await PostEdits.edit(id, #"{"text":"fifth"}"#, service), 200)
            #expect(
                try await PostEdits.edit(id, #"{"text":"third"}"#, with: idle, service).json["text"].string == "fifth")
            let bad = ["idempotency-key": String(repeating: "x", count: 201)]
            PostEdits.expect(try await PostEdits.edit(id, #"{"text":"x"}"#, with: bad, service), 400, "bad_reference")
        }
    }

    // MARK: People

    @Test("A post is edited by its author and by admins")
    func people() async throws {
        try await PostEdits.withPeople { service in
            let id = try await PostEdits.post("first", service)
            PostEdits.expect(try await PostEdits.edit(id, #"{"text":"x"}"#, as: "anna", service), 403, "not_allowed")
            let anonymous = try await service.ask(.patch, "/v1/posts/\(id)", as: nil, #"{"text":"x"}"#)
            PostEdits.expect(anonymous, 401, "permission_denied")
            #expect(try await PostEdits.get(id, service).json["text"].string == "first")
            PostEdits.expect(
                try await PostEdits.edit("-OaBcDeFgHiJkLmNoPqR", #"{"text":"x"}"#, service), 404, "not_found")
            PostEdits.expect(try await PostEdits.edit("nothing", #"{"text":"x"}"#, service), 404, "not_found")
            PostEdits.expect(
                try await PostEdits.edit(id, #"{"text":"by an admin"}"#, as: "jan", admin: true, service), 200)
            PostEdits.expect(try await PostEdits.edit(id, #"{"text":"by the owner"}"#, as: nil, service), 200)
            // Without consent an author adds no words, and may remove some.
            let own = try await PostEdits.photos(service, text: "Hello")
            let privacy = try await service.ask(.patch, "/v1/people/maria/privacy", as: "maria", #"{"content":false}"#)
            #expect(privacy.status == 200, "\(privacy.text)")
            PostEdits.expect(try await PostEdits.edit(own, #"{"text":"more"}"#, service), 403, "not_consented")
            PostEdits.expect(
                try await PostEdits.edit(own, #"{"photos":[{"number":0,"alt":"more"},{"number":1}]}"#, service), 403,
                "not_consented")
            PostEdits.expect(try await PostEdits.edit(own, #"{"text":null}"#, service), 200)
            PostEdits.expect(try await PostEdits.edit(own, #"{"text":"by an admin"}"#, as: nil, service), 200)
        }
    }

    @Test("A post for an audience is edited by its author, for its members; it does not exist for others")
    func audience() async throws {
        try await PostEdits.withPeople { service in
            let made = try await service.ask(
                .put, "/v1/audiences/c", as: "jan", #"{"name":"7b","kind":"class","members":{"maria":"poster"}}"#)
            #expect(made.status == 201, "\(made.text)")
            let posted = try await service.ask(.post, "/v1/uploads?text=first%20%23tag&audiences=c", as: "maria")
            let id = try #require(posted.json["post_id"].string, "\(posted.text)")
            PostEdits.expect(try await PostEdits.edit(id, #"{"text":"x"}"#, as: "anna", service), 404, "not_found")
            PostEdits.expect(try await PostEdits.edit(id, #"{"text":"x"}"#, as: "jan", service), 403, "not_allowed")
            let own = try #require(try await service.ask(.get, "/v1/posts/\(id)", as: "maria").headers[.eTag])
            let answer = try await PostEdits.edit(id, #"{"text":"second #tag"}"#, with: ["if-match": own], service)
            #expect(answer.status == 200 && answer.json["audiences"] != .null, "\(answer.text)")
            PostEdits.expect(
                try await PostEdits.edit(id, #"{"text":"third"}"#, with: ["if-match": own], service), 412,
                "precondition_failed")
            let shown = try await service.ask(.get, "/v1/posts/\(id)", as: "jan").json
            #expect(shown["text"].string == "second #tag" && shown["edited"].int != nil && shown["audiences"] == .null)
            let story = try await service.ask(.get, "/v1/audiences/c/posts", as: "jan").json["posts"]
            #expect(story[0]["text"].string == "second #tag" && story.array.count == 1)
            #expect(try await service.client.get("/v1/hashtags/tag/posts").json["posts"].array.isEmpty)
        }
    }

    @Test("A client's post keeps its own fields and its kind; a record that is no post is not edited")
    func foreign() async throws {
        try await PostEdits.withPeople { service in
            let id = "-OaBcDeFgHiJkLmNoPqR"
            func put(_ json: String) async throws {
                let answer = try await service.client.ask(.put, "/posts/\(id).json", body: .bytes(Array(json.utf8)))
                #expect(answer.status == 200, "\(answer.text)")
            }
            let author = #""author":{"uid":"maria"},"timestamp":1"#
            try await put(#"{\#(author),"text":" x ","kind":"poll","poll":{"a":1}}"#)
            let answer = try await PostEdits.edit(id, #"{"text":"y"}"#, service)
            #expect(answer.status == 200 && answer.json["kind"].string == "poll", "\(answer.text)")
            #expect(answer.json["poll"]["a"].int == 1 && answer.json["text"].string == "y")
            PostEdits.expect(try await PostEdits.edit(id, #"{"text":null}"#, service), 400, "empty_post")
            PostEdits.expect(try await PostEdits.edit(id, #"{"photos":[{"number":0}]}"#, service), 400, "bad_request")
            // FriendlyPix's photo, which the service has not rendered.
            try await put(#"{\#(author),"text":"x","full_url":"https://example.com/a.jpg"}"#)
            let photo = try await PostEdits.edit(id, #"{"text":null}"#, service)
            #expect(photo.status == 200 && photo.json["full_url"].string != nil && photo.json["kind"] == .null)
            // Photos of an import, without an upload and without sizes of renditions.
            let one = #"{"width":1,"height":1,"note":"n"}"#
            try await put(#"{\#(author),"photos":[\#(one),{"width":2,"height":2}]}"#)
            let swapped = try await PostEdits.edit(id, #"{"photos":[{"number":1},{"number":0,"alt":"One"}]}"#, service)
                .json
            #expect(
                swapped["photos"][1]["note"].string == "n" && swapped["photos"][1]["alt"].string == "One", "\(swapped)")
            let unreadable = #"{"0":{"width":1,"height":1,"renditions":{"full":{"url":"u","width":1,"height":1}}}}"#
            try await put(#"{\#(author),"photos":\#(unreadable),"text":"x"}"#)
            PostEdits.expect(try await PostEdits.edit(id, #"{"photos":[{"number":0}]}"#, service), 400, "bad_request")
            PostEdits.expect(try await PostEdits.edit(id, #"{"text":"still"}"#, service), 200)
            try await put(#"{"author":{"uid":"maria"},"text":"x"}"#)
            PostEdits.expect(try await PostEdits.edit(id, #"{"text":"y"}"#, service), 404, "not_found")
        }
    }

    // MARK: Moderation

    @Test("The moderator decides about new words before they are shown; it gets no request about order and removals")
    func moderation() async throws {
        let asked = Shared<[JSON]>([])
        let moderator = Moderator(photos: .bytes) { json in
            let request = try JSONDecoder().decode(JSON.self, from: Data(json))
            asked.change { $0.append(request) }
            let words = [request["text"].string] + request["photos"].array.map { $0["alt"].string }
            for word in ["refuse", "blur"] where words.contains(word) { return Array(#"{"decision":"\#(word)"}"#.utf8) }
            return Array((words.contains("silence") ? "" : #"{"decision":"pass"}"#).utf8)
        }
        try await PostEdits.withPeople(moderator: moderator) { service in
            let id = try await PostEdits.photos(service, text: "Hello")
            asked.change { $0 = [] }
            let refused = [
                (#"{"text":"refuse"}"#, 422, "moderation_refused"), (#"{"text":"blur"}"#, 422, "moderation_refused"),
                (#"{"photos":[{"number":1,"alt":"refuse"},{"number":0}]}"#, 422, "moderation_refused"),
                (#"{"text":"silence"}"#, 503, "moderation_unavailable"),
            ]
            let tag = try await PostEdits.etag(id, service)
            for (body, status, code) in refused {
                PostEdits.expect(try await PostEdits.edit(id, body, service), status, code, body)
                PostEdits.expect(
                    try await PostEdits.edit(id, body, as: nil, service), status, code, "by the owner: \(body)")
            }
            #expect(try await PostEdits.etag(id, service) == tag && asked.value.count == 2 * refused.count)
            asked.change { $0 = [] }
            let body = #"{"text":"Lake","photos":[{"number":1,"alt":"A lake"},{"number":0}]}"#
            PostEdits.expect(try await PostEdits.edit(id, body, service), 200)
            let question = try #require(asked.value.first)
            #expect(asked.value.count == 1 && question["text"].string == "Lake" && question["post"].string == id)
            #expect(question["photos"].array.map { $0["alt"].string } == ["A lake", "small"])
            #expect(question["photos"][0]["width"].int ?? 0 > question["photos"][1]["width"].int ?? 0)
            for body in [#"{"text":null}"#, #"{"photos":[{"number":0,"alt":null},{"number":1}]}"#, #"{"mentions":[]}"#]
            {
                PostEdits.expect(try await PostEdits.edit(id, body, service), 200, nil, body)
            }
            #expect(asked.value.count == 1)
        }
    }
}
