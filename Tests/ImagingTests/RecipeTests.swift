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
        "thumb=640,webp,animated,progressive",
        "thumb=16384,webp", "thumb=640,background=white", "thumb=640,background=#fff",
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
                "full=1280x1280,inside,q90", "thumb=640x640,inside,q70", "small=320x320,inside,q75",
                "tile=160x160,cover,q75",
            ])
        for recipe in Recipe.defaults { #expect(try Recipe(parsing: recipe.description) == recipe) }
    }

    @Test func fingerprintsFollowThePixels() throws {
        let base = try Recipe(parsing: "thumb=640,q70")
        #expect(base.fingerprint.utf8.count == 8)
        #expect(try Recipe(parsing: "other=640x640,inside,q70").fingerprint == base.fingerprint)
        let others = [
            "thumb=641,q70", "thumb=640x641,q70", "thumb=640,q71", "thumb=640,q70,cover", "thumb=640,q70,alpha",
            "thumb=640,q70,background=#000000",
        ]
        var seen: Set = [base.fingerprint]
        for other in others { seen.insert(try Recipe(parsing: other).fingerprint) }
        #expect(seen.count == others.count + 1)
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
        var random = SplitMix(state: 0x7E57_0000_0004)
        for _ in 0..<5000 {
            func side(_ limit: Int) -> Int { Int.random(in: 1...limit, using: &random) }
            let recipe = try Recipe(
                name: "r", fit: Bool.random(using: &random) ? .inside : .cover, width: side(2000), height: side(2000))
            let picture = PixelSize(width: side(side(30_000)), height: side(side(30_000)))
            let (fitted, scaled) = (recipe.fittedSize(for: picture), recipe.scaledSize(for: picture))
            #expect(min(fitted.width, fitted.height) > 0)
            #expect(picture.covers(scaled, factor: 1) && scaled.covers(fitted, factor: 1))
            #expect(fitted.width <= recipe.width && fitted.height <= recipe.height)
            if recipe.fit == .cover {
                #expect(
                    fitted
                        == PixelSize(
                            width: min(recipe.width, picture.width), height: min(recipe.height, picture.height)))
            }
        }
    }
}
