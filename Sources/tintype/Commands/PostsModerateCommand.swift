import API
import ArgumentParser
import HTTPTypes
import Model
import TreeModel

extension PostsCommand {
    /// Decides how a post is shown.
    struct Moderate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "moderate",
            abstract: "Have a post shown as it is, or blurred, or not at all.",
            discussion: """
                What is blurred is so in all its sizes, in its preview too, and stays so when photos are rendered anew; the \
                originals are for the author and for admins from then on. With --pass all is shown as it was again. With \
                --refuse the post is deleted, as with "tintype posts rm".

                EXAMPLES
                  tintype posts moderate -OaBcDeFgHiJkLmNoPqR --blur --reason "for adults"
                  tintype posts moderate -OaBcDeFgHiJkLmNoPqR --blur --photo 0 --photo 2
                  tintype posts moderate -OaBcDeFgHiJkLmNoPqR --pass
                """)

        @OptionGroup var storage: StorageOptions

        // An id begins with a dash, so the parser takes it for an option that it does not know.
        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp("The id that \"tintype posts\" prints first.", valueName: "id"))
        var ids: [String]

        @Flag(help: "Show it as it is.")
        var pass = false

        @Flag(help: "Show its photos blurred.")
        var blur = false

        @Flag(help: "Delete it.")
        var refuse = false

        @Option(help: ArgumentHelp("Blur this photo alone, counted from 0 (repeat).", valueName: "n"))
        var photo: [Int] = []

        @Option(help: ArgumentHelp("Why, in words that are kept.", valueName: "text"))
        var reason: String?

        @Flag(help: "Print one JSON document.")
        var json = false

        func validate() throws {
            guard [pass, blur, refuse].filter(\.self).count == 1 else {
                throw ValidationError("say one of --pass, --blur and --refuse")
            }
            guard photo.isEmpty || blur else { throw ValidationError("--photo belongs to --blur") }
        }

        func run() async throws {
            let id = try PostID(onlyArgument: ids)
            let decision: ModerationDecision = pass || !photo.isEmpty ? .pass : blur ? .blur : .refuse
            let photos = Dictionary(photo.map { (String($0), ModerationDecision.blur) }) { first, _ in first }
            let verdict = ModerationVerdict(decision, reason: reason, photos: photos.isEmpty ? nil : photos)
            let result: ModerationDocument = try await APIClient(storage).read(
                .put, "/v1/posts/\(id)/moderation", json: verdict)
            let word = result.deleted ? "refused" : result.photos.contains(.blur) ? "blurred" : "passed"
            json ? Terminal.outputJSON(result) : Terminal.output("\(word)  \(id)")
        }
    }
}
