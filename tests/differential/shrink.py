"""Takes parts of a generated kernel away for as long as still_wrong(kernel) holds."""
import generate


def places(nodes):
    """Every (list of Nodes) of a tree, outermost first."""
    found = [nodes]
    for node in nodes:
        for p in node.pieces:
            if isinstance(p, list):
                found += places(p)
    return found


def expressions(holder):
    """(pieces, index) of every Expr below a Node or Expr."""
    for index, p in enumerate(holder.pieces):
        if isinstance(p, generate.Expr):
            yield holder.pieces, index
            yield from expressions(p)


def attempt(change, undo, still_wrong, kernel):
    change()
    if still_wrong(kernel):
        return True
    undo()
    return False


def delete_statements(kernel, still_wrong):
    progress = False
    for root in kernel.bodies():
        for body in places(root):
            if isinstance(body, generate.Whole):
                continue
            size = max(1, len(body) // 2)
            while size >= 1:
                at = 0
                while at < len(body):
                    old = body[:]

                    def change():
                        del body[at:at + size]

                    def undo():
                        body[:] = old
                    if attempt(change, undo, still_wrong, kernel):
                        progress = True
                    else:
                        at += size
                size //= 2
    return progress


def unwrap(kernel, still_wrong):
    """A compound statement becomes the statements in it, but for what stays whole."""
    progress = False
    for root in kernel.bodies():
        for body in places(root):
            at = 0
            while at < len(body):
                inner = [n for p in body[at].pieces if isinstance(p, list) and not isinstance(p, generate.Whole) for n in p]
                old = body[:]

                def change():
                    body[at:at + 1] = inner

                def undo():
                    body[:] = old
                if inner and attempt(change, undo, still_wrong, kernel):
                    progress = True
                else:
                    at += 1
    return progress


def descendants(e):
    for p in e.pieces:
        if isinstance(p, generate.Expr):
            yield p
            yield from descendants(p)


def simplify_expressions(kernel, still_wrong):
    progress = False
    for root in kernel.bodies():
        for body in places(root):
            for node in body:
                for pieces, index in list(expressions(node)):
                    if index >= len(pieces) or not isinstance(pieces[index], generate.Expr):
                        continue
                    old = pieces[index]
                    simpler = [generate.Expr(old.kind, generate.ONES[old.kind])]
                    simpler += [d for d in descendants(old) if d.kind == old.kind][:4]
                    for new in simpler:
                        if len(new.render()) >= len(old.render()):
                            continue

                        def change():
                            pieces[index] = new

                        def undo():
                            pieces[index] = old
                        if attempt(change, undo, still_wrong, kernel):
                            progress = True
                            break
    return progress


def drop_functions(kernel, still_wrong):
    progress = False
    for entry in list(kernel.functions):
        at = kernel.functions.index(entry)
        progress |= attempt(lambda: kernel.functions.remove(entry), lambda: kernel.functions.insert(at, entry), still_wrong, kernel)
    return progress


def drop_lines(kernel, still_wrong):
    """Lines of the declarations and of the last stores."""
    progress = False
    for name in ("tail", "heads"):
        lines = getattr(kernel, name).splitlines(keepends=True)
        at = 0
        while at < len(lines):
            shorter = lines[:at] + lines[at + 1:]
            old = getattr(kernel, name)
            if attempt(lambda: setattr(kernel, name, "".join(shorter)), lambda: setattr(kernel, name, old), still_wrong, kernel):
                lines, progress = shorter, True
            else:
                at += 1
    return progress


def shrink(kernel, still_wrong, rounds=4):
    """still_wrong: False also for what doesn't build."""
    for _ in range(rounds):
        progress = delete_statements(kernel, still_wrong)
        progress |= unwrap(kernel, still_wrong)
        progress |= drop_functions(kernel, still_wrong)
        progress |= simplify_expressions(kernel, still_wrong)
        if not progress:
            break
    drop_lines(kernel, still_wrong)
    return kernel
