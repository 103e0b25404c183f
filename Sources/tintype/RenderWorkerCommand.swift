import ArgumentParser
import Isolation

/// What the service starts to decode photos in; of no use to a person.
struct RenderWorkerCommand: ParsableCommand {
    static let name = "render-worker"
    static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

    func run() {
        RenderWorker.run()
    }
}
