import Leaf
import Middle

// A comment may name `Door`, and /* so may */ a text.
enum Shelf {
    static let base = Base.self
    static let door = #"Door and "Door" \(Door.self)"#
    static let text = """
        Door
        """
    static let step = "\(["\(Step.self)"])"
}
