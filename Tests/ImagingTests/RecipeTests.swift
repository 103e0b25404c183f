import TestSupport
import Testing

@testable import Imaging

struct RecipeTests {
    @Test(arguments: [
        ("thumb=640", "thumb=640x640,inside,q80"),
        ("thumb=640x480,inside,q70", "thumb=640x480,inside,q70"),
        ("tile=160,cover,q75,background=#ffffff,alpha", "tile=160x160,cover,q75,alpha"),
        ("tile=160,alpha,background=#0A0b0c,cover", "tile=160x160,cover,q80,background=#0a0b0c,alpha"),
        ("a-b_9=1x16384,q100", "a-b_9=1x16384,inside,q100"),
        ("slow=640,progressive,q70", "slow=640x640,inside,q70,progressive"),
        ("shot=640,subsampling=444", "shot=640x640,inside,q80,subsampling=444"),
        ("shot=640,subsampling=420,progressive", "shot=640x640,inside,q80,progressive,subsampling=420"),
        ("icon=64,png,alpha", "icon=64x64,inside,q80,alpha,png"),
        ("icon=64,png,canvas=100,alpha", "icon=64x64,inside,q80,alpha,png,canvas=100"),
        ("soft=64,blurred,webp,animated", "soft=64x64,inside,q80,webp,animated,blurred"),
    ])
    func parsing(text: String, canonical: String) throws {
        let recipe = try Recipe(parsing: text)
        #expect(recipe.description == canonical)
        #expect(try Recipe(parsing: canonical) == recipe)
    }

    @Test(arguments: [
        "", "thumb", "=640", "thumb=", "thumb=0", "thumb=640x", "thumb=x480", "thumb=1x2x3", "thumb=-5", "thumb=+5",
        "thumb=16385", "thumb=99999999999999999999", "thumb=640,", "thumb=640,,q70", "thumb=640,q0", "thumb=640,q101",
        "thumb=640,q", "thumb=640,qx", "thumb=640,fill", "thumb=640,animated", "thumb=640,webp,progressive",
        "thumb=640,webp,animated,progressive", "thumb=640,subsampling=422", "thumb=640,subsampling=automatic",
        "thumb=640,webp,subsampling=444", "thumb=640,png,subsampling=444", "thumb=640,png,webp",
        "thumb=640,png,progressive", "thumb=640,avif,webp", "thumb=640,avif,animated", "thumb=2049,avif",
        "thumb=16384,webp", "thumb=640,background=white", "thumb=640,background=#fff",
        "icon=64,canvas=64", "icon=64,png,canvas=63", "icon=9x64,png,canvas=9", "icon=64,png,canvas=16385",
        "icon=64,png,canvas=", "icon=64,png,canvas=64x64",
        "thumb=640,background=#+fffff", "thumb=640,background=#gggggg", "Thumb=640", "th umb=640", "th/umb=640",
        "é=640",
        "..=640", "thumb=640 ", "thumb=６４０", "a123456789012345678901234567890123=640",
    ])
    func refusals(text: String) {
        let error = #expect(throws: ImageError.self) { try Recipe(parsing: text) }
        #expect(error?.code == .badRecipe)
        #expect(error?.hint.isEmpty == false)
    }

    @Test func defaults() throws {
        #expect(
            Recipe.defaults.map(\.description) == [
                "full=1280x1280,inside,q90", "medium=960x960,inside,q75", "thumb=640x640,inside,q70",
                "small=320x320,inside,q75", "tile=160x160,cover,q75",
            ])
        for recipe in Recipe.defaults { #expect(try Recipe(parsing: recipe.description) == recipe) }
    }

    @Test func fingerprintsFollowThePixels() throws {
        let base = try Recipe(parsing: "thumb=640,q70")
        func fingerprint(_ recipe: Recipe) -> String { recipe.fingerprint(among: []) }
        #expect(fingerprint(base).utf8.count == 8 && fingerprint(base) == base.fingerprint(among: [base]))
        #expect(fingerprint(try Recipe(parsing: "other=640x640,inside,q70")) == fingerprint(base))
        let others = [
            "thumb=641,q70", "thumb=640x641,q70", "thumb=640,q71", "thumb=640,q70,cover", "thumb=640,q70,alpha",
            "thumb=640,q70,background=#000000", "thumb=640,q70,png", "thumb=640,q70,png,canvas=640",
            "thumb=640,q70,png,canvas=641",
        ]
        var seen: Set = [fingerprint(base)]
        for other in others { seen.insert(fingerprint(try Recipe(parsing: other))) }
        #expect(seen.count == others.count + 1)
    }

    @Test(
        "A fingerprint reflects another recipe only if that recipe can change the bytes",
        arguments: [
            ("small=320", "thumb=640", true), ("small=320", "thumb=100", false), ("small=320", "same=320,q99", false),
            ("small=320x200", "thumb=300x250", true), ("small=320", "tile=160,cover", true),
            ("tile=160,cover", "small=160", false), ("tile=160,cover", "small=320x100", false),
            ("small=320", "shot=100,subsampling=444", true), ("small=320", "icon=100,png", true),
            ("shot=320,subsampling=444", "icon=100,png", false), ("small=320", "shot=100,subsampling=420", false),
            ("tile=160,cover", "small=161", true), ("tile=160x90,cover", "tall=100x120,cover", true),
        ])
    func fingerprintsAmongOthers(text: String, other: String, changes: Bool) throws {
        let (recipe, other) = (try Recipe(parsing: text), try Recipe(parsing: other))
        let both = recipe.fingerprint(among: [recipe, other])
        #expect(both == recipe.fingerprint(among: [other, recipe, other]))
        #expect((both != recipe.fingerprint(among: [recipe])) == changes)
    }

    @Test("Two sets of recipes that give a rendition one fingerprint give it the same bytes")
    func oneFingerprintOneContent() throws {
        let boxes = [
            "400", "300x150", "200", "160x100,cover", "120,cover", "90x200", "60", "64x20,cover", "150,subsampling=444",
            "80,png",
        ]
        let files = [
            "size-640x480.jpg", "baseline-444.jpg", "progressive-dc-scans-2x2.jpg", "rgb-8.png", "large-odd.gif",
        ]
        var random = SeededGenerator(seed: 0x7E57_0000_0040)
        var seen: [String: [UInt8]] = [:]
        var repeatCount = 0
        for _ in 0..<40 {
            let recipes = try boxes.enumerated().compactMap { number, box in
                Bool.random(using: &random) ? try Recipe(parsing: "r\(number)=\(box)") : nil
            }
            for file in files {
                for rendition in try Renderer().render(ImageFixture.bytes(file).span, recipes: recipes).renditions {
                    let name = "\(file) \(rendition.recipe.name) \(rendition.recipe.fingerprint(among: recipes))"
                    if let bytes = seen[name] {
                        #expect(rendition.bytes == bytes, "\(name)")
                        repeatCount += 1
                    }
                    seen[name] = rendition.bytes
                }
            }
        }
        #expect(repeatCount > 20 && seen.count > 100, "\(repeatCount) of \(seen.count)")
    }

    @Test(arguments: [
        ("r=640", 4000, 3000, 640, 480), ("r=640", 3000, 4000, 480, 640), ("r=640", 640, 640, 640, 640),
        ("r=640", 100, 50, 100, 50), ("r=640x100", 4000, 3000, 133, 100), ("r=640", 30_000, 1, 640, 1),
        ("r=1", 30_000, 30_000, 1, 1), ("r=160,cover", 4000, 3000, 160, 160), ("r=160,cover", 100, 50, 100, 50),
        ("r=160,cover", 300, 100, 160, 100), ("r=160x90,cover", 4000, 3000, 160, 90),
        ("r=160,cover", 30_000, 1, 160, 1),
        ("r=160,cover", 161, 160, 160, 160),
    ])
    func sizes(text: String, width: Int, height: Int, fittedWidth: Int, fittedHeight: Int) throws {
        let fitted = try Recipe(parsing: text).fittedSize(for: PixelSize(width: width, height: height))
        #expect(fitted == PixelSize(width: fittedWidth, height: fittedHeight))
    }

    @Test func sizesNeverGrowNorVanish() throws {
        var random = SeededGenerator(seed: 0x7E57_0000_0004)
        for _ in 0..<5000 {
            func side(_ limit: Int) -> Int { Int.random(in: 1...limit, using: &random) }
            let recipe = try Recipe(
                name: "r", fit: Bool.random(using: &random) ? .inside : .cover, width: side(2000), height: side(2000))
            let image = PixelSize(width: side(side(30_000)), height: side(side(30_000)))
            let (fitted, scaled) = (recipe.fittedSize(for: image), recipe.scaledSize(for: image))
            #expect(min(fitted.width, fitted.height) > 0)
            #expect(image.covers(scaled, factor: 1) && scaled.covers(fitted, factor: 1))
            #expect(fitted.width <= recipe.width && fitted.height <= recipe.height)
            if recipe.fit == .cover {
                #expect(
                    fitted
                        == PixelSize(
                            width: min(recipe.width, image.width), height: min(recipe.height, image.height)))
            }
        }
    }
}
