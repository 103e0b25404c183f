import Client
import HTTPTypes
import Server
import TestSupport
import Testing

@testable import Gallery

@Suite("The scripts of the gallery, joined in few files", .timeLimit(.minutes(20)))
struct GalleryScriptsTests {
    @Test(
        "Each form of import and export is converted to a part of a function",
        arguments: [
            (
                "import { a, b as c } from \"./x.js\";\nuse(a, c);",
                "[\"x.js\"],async ({ a, b:c }) => {\nuse(a, c);\nreturn {};"
            ),
            ("import * as x from \"./x.js\";", "[\"x.js\"],async (x) => {\nreturn {};"),
            (
                "import \"./x.js\";  // For what it does.\nimport { y } from \"./y.js\";",
                "[\"x.js\",\"y.js\"],async ({},{ y }) => {\n"
            ),
            (
                "  // Words\nexport const a = 1;\nexport async function b(c) {",
                "async () => {\nconst a = 1;\nasync function b(c) {\nreturn {a,b};"
            ),
            (
                "export class A extends B {\n}\nexport function $a_1() {}",
                "class A extends B {\n}\nfunction $a_1() {}\nreturn {A,$a_1};"
            ),
            ("const a = 1;\nexport { a };", "const a = 1;\nreturn { a };"),
            ("export default {\"a\":1};", "const whole = {\"a\":1};\nreturn {default:whole};"),
            (
                "  import(\"./x.js\").then(a); await import(`./y.${b}.js`);",
                "loadModule(\"./x.js\").then(a); await loadModule(`./y.${b}.js`);"
            ),
        ])
    func form(source: String, expected: String) throws {
        let module = try #require(SourceModule("m.js", Array(source.utf8)))
        #expect(module.definition.hasPrefix("defineModule(\"m.js\",["))
        #expect(module.definition.contains(expected), "\(module.definition)")
    }

    @Test(
        "A module of another form is refused",
        arguments: [
            "import a from \"./x.js\";", "import {", "import { a } from \"/page/x.js\";", "import { a } from 'x.js';",
            "export let a = 1;", "export const { a, b } = c;", "export const [a] = c;", "export * from \"./x.js\";",
            "export { a } from \"./x.js\";",
        ])
    func otherForm(source: String) {
        #expect(SourceModule("m.js", Array(source.utf8)) == nil)
    }

    @Test("Every imported module is in one file, and no later than its importer; no module imports itself")
    func parts() throws {
        #expect(GalleryScripts.all.count == PageLanguage.allCases.count)
        for scripts in GalleryScripts.all {
            #expect(scripts.parts.count == 4)
            var known: Set<String> = []
            for part in scripts.parts {
                #expect(!part.modules.isEmpty)
                for module in part.modules {
                    #expect(known.isSuperset(of: module.imports), "\(module.name) of \(part.file)")
                    #expect(known.insert(module.name).inserted, "\(module.name) is there twice")
                }
            }
            let asked = scripts.parts.flatMap(\.modules).flatMap(\.laterImports)
            #expect(known.isSuperset(of: asked), "\(asked.filter { !known.contains($0) })")
            // A new module must be part of a file that is sent.
            let others = ["account.js", "embed.js"]
            let all = PageFiles.served.keys.filter {
                $0.hasSuffix(".js") && !$0.hasPrefix("ops") && !others.contains($0)
            }
            #expect(known.isSuperset(of: all), "\(all.filter { !known.contains($0) })")
        }
    }

    @Test("A page names the first file in its language, and each file names those it needs")
    func files() async throws {
        try await withService { service in
            for (language, word) in [("en", "Loading…"), ("de", "Wird geladen …")] {
                let page = try await service.client.get("/", headers: [.acceptLanguage: language])
                let scripts = page.text.matches(of: /<script [^>]*src="([^"]*)"/).map { String($0.1) }
                #expect(scripts == [PageAssets.path(of: "gallery.\(language).js")])
                let first = try await service.client.get(try #require(scripts.first))
                #expect(first.headers[.contentType] == "text/javascript; charset=utf-8")
                #expect(first.text.contains(word) && first.text.hasSuffix("loadModule(\"app.js\");\n"))
                for later in ["tools", "account", "rest"] {
                    let path = PageAssets.path(of: "gallery-\(later).\(language).js")
                    #expect(first.text.contains("\".\(path.dropFirst("/page".count))\""))
                    let file = try await service.client.get(path)
                    #expect(file.text.hasPrefix("export default (defineModule, loadModule) => {\n"))
                }
            }
        }
    }

    @Test("A file is kept at the address of its version, and checked each time at others")
    func versions() async throws {
        try await withService { service in
            let page = try await service.client.get("/").text
            let styles = try #require(page.firstMatch(of: /href="(\/page\/page\.css\?v=[0-9a-f]+)"/)).1
            let script = try #require(page.firstMatch(of: /src="(\/page\/gallery\.en\.js\?v=[0-9a-f]+)"/)).1
            for path in [styles, script] {
                let kept = try await service.client.get(String(path))
                #expect(kept.status == 200)
                #expect(kept.headers[.cacheControl] == "public, max-age=31536000, immutable", "\(path)")
                // A page that was loaded before an upgrade names the version before.
                let name = path.prefix { $0 != "?" }
                for other in ["\(name)", "\(name)?v=", "\(name)?v=0123456789abcdef01234567", "\(path)0"] {
                    let answer = try await service.client.get(other)
                    #expect(answer.headers[.cacheControl] == "no-cache" && answer.text == kept.text, "\(other)")
                }
            }
        }
    }
}
