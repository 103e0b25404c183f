#if os(Linux)
    import Testing

    @testable import Imaging

    /// Tests of the bombs in a process of their own, so that all memory is theirs.
    @Suite("Small files that would cost much end in an image or a named reason, with little memory")
    struct BombTests {
        @Test(.timeLimit(.minutes(10)))
        func bombs() async {
            #expect(Bomb.all.count >= 40)
            await #expect(processExitsWith: .success) {
                for bomb in Bomb.all { try BombTests.check(bomb) }
            }
        }

        private static func check(_ bomb: Bomb) throws {
            let bytes = bomb.make()
            let recipes = try Recipe.defaults + [Recipe(parsing: "exact=640,alpha")]
            var code: String?
            let increase = try PeakMemory.increase {
                do throws(ImageError) {
                    #expect(try Renderer().render(bytes.span, recipes: recipes).renditions.count == recipes.count)
                } catch {
                    code = error.code.rawValue
                    #expect(!error.message.isEmpty && !error.hint.isEmpty && !error.isTransient, "\(bomb.name)")
                }
            }
            #expect(code == bomb.code, "\(bomb.name)")
            #expect(increase <= bomb.workingBytes + MemoryBound.slack, "\(bomb.name): \(increase) bytes")
        }
    }
#endif
