import Access
import Client
import Foundation
import HTTPTypes
import Server
import TestSupport
import Testing
import TreeModel

@testable import Gallery

@Suite("The texts and files of pages", .timeLimit(.minutes(20)))
struct PageTextTests {
    /// The texts of `texts.json` by language and key.
    private var texts: [String: [String: JSONValue]] {
        get throws {
            guard case .object(let languages)? = JSONValue(text: PageFiles["texts.json"]) else { throw NoTexts() }
            return languages.mapValues { texts in
                if case .object(let members) = texts { members } else { [:] }
            }
        }
    }
    private struct NoTexts: Error {}

    /// Returns the names in braces of a text and of all of its forms.
    private func placeholders(_ text: JSONValue) -> Set<String> {
        guard case .object(let forms) = text else {
            return Set((text.string ?? "").matches(of: /\{\w+\}/).map { String($0.0) })
        }
        return forms.values.reduce(into: []) { $0.formUnion(placeholders($1)) }
    }

    private func forms(_ text: JSONValue) -> Set<String> {
        if case .object(let forms) = text { Set(forms.keys) } else { [] }
    }

    @Test("Every text exists in all languages, with the same values and forms")
    func complete() throws {
        let texts = try texts
        #expect(Set(texts.keys) == Set(PageLanguage.allCases.map(\.rawValue)))
        let english = try #require(texts["en"])
        for (language, others) in texts {
            #expect(Set(others.keys) == Set(english.keys), "\(language)")
            for (key, text) in english {
                let other = others[key] ?? .null
                #expect(placeholders(text) == placeholders(other), "\(language): \(key)")
                #expect(forms(text) == forms(other), "\(language): \(key)")
                #expect(key.contains("."), "\(key)")
            }
        }
    }

    @Test("Values replace their names, and braces in values are kept")
    func values() {
        let texts = PageTexts.in(.english)
        #expect(texts.text("photo.alt", ["index": "2", "name": "{index}"]) == "Photo 2 by {index}")
        #expect(texts.text("card.likes", count: 1) == "1 like" && texts.text("card.likes", count: 0) == "0 likes")
        #expect(texts.text("no.such") == "no.such")
    }

    @Test(
        "A page is in the chosen language, else in the one that the browser prefers",
        arguments: [
            ("", "", "en"), ("de", "", "de"), ("de-AT, en;q=0.5", "", "de"), ("en;q=0.4, de;q=0.5", "", "de"),
            ("fr, it;q=0.9", "", "en"), ("fr, de;q=0.2", "", "de"), ("de;q=0", "", "en"), ("*", "", "en"),
            ("de", "lang=en", "en"), ("en", "a=b; lang=de", "de"), ("de", "lang=xx", "de"), (";;q=,=", "lang", "en"),
        ])
    func language(accepted: String, cookie: String, expected: String) {
        var headers = HTTPFields()
        if !accepted.isEmpty { headers[.acceptLanguage] = accepted }
        if !cookie.isEmpty { headers[.cookie] = cookie }
        #expect(PageLanguage(for: headers).rawValue == expected)
    }

    @Test("A page in German declares its language, and that it varies with the request")
    func german() async throws {
        try await withService { service in
            let page = try await service.client.get("/", headers: [.acceptLanguage: "de"])
            #expect(page.text.contains("<html lang=\"de\">") && page.text.contains("Noch keine Beiträge"))
            #expect(page.headers[.vary]?.contains("Accept-Language, Cookie") == true)
            let module = try await service.client.get("/page/texts.de.js")
            #expect(module.text.hasPrefix("export default {") && module.text.contains("\"nav.home\""))
            #expect(!module.text.contains("\"ops.") && module.headers[.contentType] == "text/javascript; charset=utf-8")
            #expect(try await service.client.get("/page/ops-texts.en.js").status == 200)
        }
    }

    @Test("A file is sent once; later requests are answered by its tag, in each of its forms")
    func tags() async throws {
        try await withService { service in
            var tags: Set<String> = []
            for coding in ["", "gzip"] {
                var headers: HTTPFields = coding.isEmpty ? [:] : [.acceptEncoding: coding]
                let first = try await service.client.get("/page/page.css", headers: headers)
                #expect(first.headers[.contentEncoding] == (coding.isEmpty ? nil : coding))
                #expect(first.headers[.cacheControl] == "no-cache")
                let tag = try #require(first.headers[.eTag])
                tags.insert(tag)
                headers[.ifNoneMatch] = tag
                let again = try await service.client.get("/page/page.css", headers: headers)
                #expect(again.status == 304 && again.body.isEmpty && again.headers[.eTag] == tag)
            }
            #expect(tags.count == 2 && tags.allSatisfy { $0.hasPrefix("\"") })
        }
    }

    @Test("Every file of the folder is in the binary")
    func files() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        let folder = sources.appending(path: "CPage/Files")
        #expect(Set(PageFiles.all.keys) == Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)))
        for (name, bytes) in PageFiles.all {
            #expect(try Data(contentsOf: folder.appending(path: name)) == Data(bytes), "\(name)")
        }
    }
}
