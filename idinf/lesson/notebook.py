"""The lesson: a language of one's own, guessed about, searched and shown. `idinf demo --open` runs it."""

# /// script
# [tool.marimo.display]
# theme = "system"
# ///

import marimo

app = marimo.App(width="medium", app_title="idinf: a language of your own", css_file="lesson.css")


@app.cell
def _():
    import os

    import marimo as mo

    from idinf.lesson import view
    from idinf.lesson.live import Question, follow
    from idinf.lesson.messages import Asked

    return Asked, Question, follow, mo, os, view


@app.cell
def _(mo):
    mo.md("""
    # A language of your own

    An *idealized learner* sees which words up to length n a language has. Of all transformers that are right
    on these words, it picks a cheapest one. **n0** is the length from which on whatever it may pick is still
    right on words twice as long. Has your language an n0? Write one, guess, and search.
    """)
    return


@app.cell
def _(mo, os):
    form = (
        mo.md("{target}\n\n{alphabet}\n\n{max_r}")
        .batch(
            target=mo.ui.text(
                value=os.environ.get("IDINF_LESSON_TARGET") or "regex:(a|b)*ab",
                label="Language: regex:a(b|c), a name as majority, or a program as accept iff #a >= 2 #b",
                full_width=True,
            ),
            alphabet=mo.ui.text(label="Alphabet, if the language does not name all of it (--alphabet)"),
            max_r=mo.ui.dropdown(
                {"10, seconds to a minute": 10.0, "10.5, a minute": 10.5, "11, a minute": 11.0},
                value="10, seconds to a minute",
                label="Search up to R (--max-r)",
            ),
        )
        .form(submit_button_label="Take this language", bordered=False)
    )
    mo.output.replace(form)
    return (form,)


@app.cell
def _(Asked, form, mo):
    mo.stop(form.value is None)
    asked = Asked(**form.value)
    return (asked,)


@app.cell
def _(Question, asked, mo, view):
    look = Question(asked.looking()).wait_for_end()
    mo.Html(view.show_language(look, asked))
    return (look,)


@app.cell
def _(look, mo, view):
    mo.stop(look.language is None)
    choices = mo.ui.dropdown(view.GUESSES, value=next(iter(view.GUESSES)), label="Guess first: has it an n0?")
    guess_form = choices.form(submit_button_label="Search", bordered=False)
    mo.output.replace(guess_form)
    return (guess_form,)


@app.cell
def _(Question, asked, guess_form, mo):
    mo.stop(guess_form.value is None)
    guess, question = guess_form.value, Question(asked)
    return guess, question


@app.cell
def _(mo, question):
    get_seen, set_seen = mo.state(question.seen)
    stop = mo.ui.button(label="Stop the search", kind="warn", on_click=lambda _: question.stop())
    return get_seen, set_seen, stop


@app.cell
def _(get_seen, mo, stop):
    mo.output.replace(None if get_seen().is_over else stop)
    return


@app.cell
def _(follow, mo, question, set_seen, view):
    def watch():
        seen = follow(
            question,
            show=lambda seen: mo.output.replace(mo.Html(view.show_search(seen))),
            is_left=lambda: mo.current_thread().should_exit,
        )
        if seen.is_over:
            set_seen(seen)

    if not question.seen.is_over:  # in a browser without processes it is answered at once
        mo.Thread(target=watch).start()
    mo.Html(view.show_search(question.seen))
    return


@app.cell
def _(get_seen, guess, mo, view):
    seen = get_seen()
    mo.stop(not seen.is_over)
    mo.Html(view.show_answer(seen, guess))
    return (seen,)


@app.cell
def _(mo, seen, view):
    mo.stop(seen.page is None)
    mo.vstack(
        [
            mo.md("## The page of the report"),
            mo.download(seen.page.html.encode(), seen.page.name, "text/html", label="Save this page"),
            mo.Html(view.name_frame(mo.iframe(seen.page.html, height="900px").text, seen.page)),
        ]
    )
    return


if __name__ == "__main__":
    app.run()
